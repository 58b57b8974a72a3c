# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Debian's chromium without a window, on the live page, and the page's server in a thread."""

import asyncio
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from quench.feed.source import Source
from quench.live.server import serve
from selenium.common.exceptions import TimeoutException
from selenium.webdriver import Chrome, ChromeOptions, ChromeService
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

TOKEN = "token-of-a-test"
PATIENCE_S = 60.0
RESTS_S = 0.6
"""Time for which a hand rests on a line before it moves."""
CHARTS = 'import("/chart.js").then(({ charts }) => [...charts.values()].filter((chart) => chart.plot !== null))'
LINE = f"""
const [is_level, name] = [arguments[0] === "width", arguments[1]];
return {CHARTS}.then((charts) => {{
  const chart = charts.find(({{ handles }}) => handles?.is_level === is_level);
  const line = chart?.draft.thresholds().find((each) => each.name === name);
  if (line === undefined) {{ return null; }}
  const box = chart.plot.over.getBoundingClientRect();
  const px = chart.plot.valToPos(line.pkts, is_level ? "y" : "x");
  return {{
    x: box.x + (is_level ? box.width / 2 : px), y: box.y + (is_level ? px : box.height / 2), location: line.pkts,
    end: chart.plot.scales[is_level ? "y" : "x"].max, height: box.height, width: box.width,
  }};
}});
"""
COLUMN = f"""
const name = arguments[0];
return {CHARTS}.then((charts) => {{
  const chart = charts.find(({{ columns }}) => columns?.includes(name) || (name === "time" && columns !== undefined));
  return chart === undefined ? [] : [...chart.plot.data[name === "time" ? 0 : 1 + chart.columns.indexOf(name)]];
}});
"""


@contextmanager
def served(source: Source, listener: socket.socket | None = None) -> Iterator[str]:
    """The page of a source in a thread; gives the URL, which has the token."""
    listener = listener or socket.create_server(("127.0.0.1", 0))
    loop = asyncio.new_event_loop()

    async def main() -> None:
        try:
            await serve(source, listener, TOKEN, frozenset())
        finally:
            await source.close()

    task = loop.create_task(main())

    def run() -> None:
        with suppress(asyncio.CancelledError):
            loop.run_until_complete(task)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/#token={TOKEN}"
    finally:
        loop.call_soon_threadsafe(task.cancel)
        thread.join()
        loop.close()
        listener.close()


class Browser:
    """A window of chromium."""

    def __init__(self, downloads: Path, *, width: int = 1280, height: int = 1400) -> None:
        options = ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        # The tests run as root, where chromium has no sandbox. The switches that follow keep it from other servers.
        for switch in ("headless=new", "no-sandbox", "disable-dev-shm-usage", f"window-size={width},{height}"):
            options.add_argument(f"--{switch}")
        for switch in ("disable-background-networking", "disable-component-update", "no-first-run"):
            options.add_argument(f"--{switch}")
        options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = Chrome(options=options, service=ChromeService("/usr/bin/chromedriver"))
        self.downloads = downloads

    def wait(self, condition: Callable[[], Any]) -> Any:
        """The first true value of a condition."""
        try:
            return WebDriverWait(self.driver, PATIENCE_S, 0.1).until(lambda _: condition())
        except TimeoutException:
            picture = self.downloads / "page.png"
            self.driver.save_screenshot(str(picture))
            raise AssertionError(f"it did not happen in time: {picture}, {self.faults()}") from None

    def text(self, selector: str) -> str:
        """The text of an element."""
        return self.driver.find_element(By.CSS_SELECTOR, selector).text

    def run(self, script: str, *arguments: Any) -> Any:
        """The value that a script in the page returns."""
        return self.driver.execute_script(script, *arguments)

    def line(self, name: str, dimension: str = "width") -> dict[str, float]:
        """Where a threshold's line is, in pixels of the window."""
        found = self.run(LINE, dimension, name)
        return dict(found) if found is not None else {}

    def drag(self, name: str, to_pkts: float, dimension: str = "width", rests_s: float = 0.0) -> None:
        """Drag a threshold's line in the first queue's chart, over time or over the average, once."""
        line = self.wait(lambda: self.line(name, dimension))
        moved = (to_pkts - line["location"]) / line["end"]
        right, down = (0.0, -moved * line["height"]) if dimension == "width" else (moved * line["width"], 0.0)
        actions = ActionChains(self.driver, duration=100)
        pointer = actions.w3c_actions.pointer_action
        pointer.move_to_location(int(line["x"]), int(line["y"]))
        pointer.pointer_down()
        pointer.pause(rests_s)
        for part in (0.3, 0.7, 1.0):
            pointer.move_to_location(int(line["x"] + part * right), int(line["y"] + part * down))
        pointer.pointer_up()
        actions.perform()

    def set_size(self, width: int, height: int) -> None:
        """The size of the page in pixels; a window cannot be as narrow as a phone."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def open_queue(self, port: int = 1, queue: int = 0) -> None:
        """Open the panel of a queue of the first switch with such a port, by its row of the overview."""
        rows = "return [...document.querySelectorAll('#overview tbody tr')].find((row) => "
        place = "row.cells[1].textContent === `${arguments[0]}` && row.cells[2].textContent === `${arguments[1]}`)"
        self.wait(lambda: self.run(rows + place, port, queue)).click()

    def field(self, name: str) -> Any:
        """An input of the first queue's form."""
        return self.driver.find_element(By.CSS_SELECTOR, f".settings [name={name}]")

    def value(self, name: str) -> str:
        """The text of an input of the first queue's form."""
        return str(self.run("return document.querySelector('.settings [name=' + arguments[0] + ']').value", name))

    def column(self, name: str) -> list[float | None]:
        """Numbers of the first chart over time with such a column, or its times."""
        return list(self.run(COLUMN, name))

    def faults(self) -> list[str]:
        """Errors in the console since the last call."""
        found = [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]
        # Half of what is typed makes no profile: the page shows the server's sentence.
        return [message for message in found if "/preview - Failed to load resource" not in message]

    def requested_hosts(self) -> set[str | None]:
        """Hosts of all requests since the last call, WebSockets too."""
        hosts = set()
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = urlsplit(message["params"]["request"]["url"])
            elif message["method"] == "Network.webSocketCreated":
                url = urlsplit(message["params"]["url"])
            else:
                continue
            if url.scheme not in {"data", "blob", "about", "chrome"}:
                hosts.add(url.hostname)
        return hosts

    def close(self) -> None:
        """End it."""
        self.driver.quit()
