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
MOVED_S = 2.0
MOST_TRIES = 5
MODELS = "Bokeh.documents.flatMap((each) => [...each._all_models.values()])"
LINE = f"""
const line = {MODELS}.find((model) => model.type === "Span" && model.dimension === arguments[0]
  && model.document.roots()[0].center.some((each) => each.type === "Label" && each.text.startsWith(arguments[1])
    && each[arguments[0] === "width" ? "y" : "x"] === model.location));
if (line === undefined) {{ return null; }}
const plot = line.document.roots()[0];
const view = Bokeh.index.get_one(plot);
const box = view.el.getBoundingClientRect();
const frame = view.frame;
return arguments[0] === "width"
  ? {{ x: box.x + frame.bbox.hcenter, y: box.y + frame.y_scale.compute(line.location), end: plot.y_range.end,
       height: frame.bbox.height, location: line.location }}
  : {{ x: box.x + frame.x_scale.compute(line.location), y: box.y + frame.bbox.vcenter, end: plot.x_range.end,
       width: frame.bbox.width, location: line.location }};
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

    def drag(self, name: str, to_pkts: float) -> None:
        """Drag a threshold's line in the first queue's chart over time, until its field has another depth.

        Bokeh takes a pointer that stands still for 300 ms for a press, which it may seem to do on a busy machine: such
        a drag is tried again.
        """
        before = self.value(name)
        for _ in range(MOST_TRIES):
            self.try_to_drag(name, to_pkts)
            with suppress(TimeoutException):
                WebDriverWait(self.driver, MOVED_S, 0.05).until(lambda _: self.value(name) != before)
                return
        raise AssertionError(f"{name} cannot be dragged: {self.faults()}")

    def try_to_drag(self, name: str, to_pkts: float) -> None:
        """The gesture of a drag, whether or not anything follows it."""
        line = self.wait(lambda: self.line(name))
        down = (line["location"] - to_pkts) / line["end"] * line["height"]
        actions = ActionChains(self.driver, duration=100)
        actions.w3c_actions.pointer_action.move_to_location(int(line["x"]), int(line["y"]))
        actions.w3c_actions.pointer_action.pointer_down()
        for part in (0.3, 0.7, 1.0):
            actions.w3c_actions.pointer_action.move_to_location(int(line["x"]), int(line["y"] + part * down))
        actions.w3c_actions.pointer_action.pointer_up()
        actions.perform()

    def field(self, name: str) -> Any:
        """An input of the first queue's form."""
        return self.driver.find_element(By.CSS_SELECTOR, f".settings [name={name}]")

    def value(self, name: str) -> str:
        """The text of an input of the first queue's form."""
        return str(self.run("return document.querySelector('.settings [name=' + arguments[0] + ']').value", name))

    def column(self, name: str) -> list[float | None]:
        """Numbers of the first chart with such a column."""
        script = f"""const sources = {MODELS}.filter((model) => model.type === "ColumnDataSource");
        const found = sources.find((source) => arguments[0] in source.data);
        return found === undefined ? [] : [...found.data[arguments[0]]];"""
        return list(self.run(script, name))

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
