# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``python -m quench_docs.screenshot PAGE PNG``: a page as Debian's chromium shows it, for the documents.

The picture of the demo's report: ``make demo``, and then
``PYTHONPATH=docs python -m quench_docs.screenshot out/demo/report.html docs/images/demo-report.png``.
"""

import argparse
from pathlib import Path

from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service

WIDTH, HEIGHT = 1280, 1500
DRAWN_S = 60
"""More than any page takes to draw its charts."""
_WHEN_DRAWN = """
const done = arguments[0];
const poll = () => !window.Bokeh || Bokeh.documents[0]?.is_idle ? requestAnimationFrame(done) : setTimeout(poll, 50);
poll();
"""


def shoot(page: Path, picture: Path, width: int = WIDTH, height: int = HEIGHT) -> None:
    """Write the top of a page as a PNG, once its charts are drawn. Sizes are in pixels."""
    options = ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("--headless=new", "--no-sandbox", "--hide-scrollbars"):
        options.add_argument(argument)
    with Chrome(options, Service("/usr/bin/chromedriver")) as browser:
        browser.set_script_timeout(DRAWN_S)
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.get(page.resolve().as_uri())
        browser.execute_async_script(_WHEN_DRAWN)
        if not browser.save_screenshot(str(picture)):
            raise OSError(f"{picture}: the picture cannot be written")


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="quench_docs.screenshot", description="A page as a PNG.")
    parser.add_argument("page", type=Path)
    parser.add_argument("picture", type=Path)
    parser.add_argument("--width", type=int, default=WIDTH, help="of the page, in pixels")
    parser.add_argument("--height", type=int, default=HEIGHT, help="of its part that is shown, in pixels")
    words = parser.parse_args()
    shoot(words.page, words.picture, words.width, words.height)


if __name__ == "__main__":
    main()
