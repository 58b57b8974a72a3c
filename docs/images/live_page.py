# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Photographs the live page beside the dumbbell: ``sudo .venv/bin/python docs/images/live_page.py``.

It needs chromium and a minute, and writes ``live-page.png`` beside this file.
"""

import os
import sys
import tempfile
import time
from contextlib import ExitStack, closing
from io import BytesIO
from pathlib import Path

from PIL import Image
from quench_topologies.isolation import OWN_NAMESPACE, inside_namespace
from quench_topologies.live_page import live_page
from quench_topologies.network import running_network
from quench_topologies.papers.dumbbell import DumbbellSettings, dumbbell
from quench_topologies.program import find_host_loader, find_program
from quench_topologies.traffic import Ends, Traffic

sys.path.insert(0, str(Path(__file__).parents[2] / "control_plane" / "tests"))

from browser import Browser

IMAGES = Path(__file__).parent
PROFILE = {"scheme": "ecn-becn", "minth": "15KB", "becnthresh": "30KB", "maxth": "45KB"}
PAIRS = 4
FLOWS = 12
SEED = 1
BEFORE_S = 30
AFTER_S = 20
MINTH_PKTS = 5
COLOURS = 128


def main() -> None:
    """Run a network, drag a threshold, and photograph what it did."""
    home = os.open(OWN_NAMESPACE, os.O_RDONLY)
    topology = dumbbell(DumbbellSettings(pairs=PAIRS), PROFILE)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        page = stack.enter_context(live_page("127.0.0.1:0"))
        network = stack.enter_context(running_network(topology, find_program(None, "embedded"), "embedded", SEED))
        loader, hosts = find_host_loader(), network.hosts
        for pair in range(1, PAIRS + 1):
            hosts[f"server{pair}"].enable(loader, "ecn-becn")
            stack.callback(hosts[f"server{pair}"].disable, loader)
        ends = [
            Ends(hosts[f"server{pair}"].namespace, hosts[f"client{pair}"].namespace, f"10.1.{pair}.1")
            for pair in range(1, PAIRS + 1)
        ]
        traffic = Traffic([ends[flow % PAIRS] for flow in range(FLOWS)], 0.0, SEED)
        stack.callback(traffic.stop)
        traffic.start()
        url = page.show(network.socket)
        stack.enter_context(inside_namespace(f"/proc/{os.getpid()}/fd/{home}"))
        browser = stack.enter_context(closing(Browser(folder, height=1300)))
        photograph(browser, url)


def photograph(browser: Browser, url: str) -> None:
    """The picture, with as many colours as it needs."""
    browser.driver.get(url)
    time.sleep(BEFORE_S)
    browser.drag("minth", MINTH_PKTS)
    browser.wait(lambda: browser.text(".settings .done") == "Applied")
    time.sleep(AFTER_S)
    with Image.open(BytesIO(browser.driver.get_screenshot_as_png())) as picture:
        picture.convert("RGB").quantize(COLOURS).save(IMAGES / "live-page.png", optimize=True)


if __name__ == "__main__":
    main()
