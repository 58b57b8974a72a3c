# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A drag on the live page changes the table of a real switch, and its marks then show in the charts."""

import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from browser import Browser, served
from lab import ALWAYS, CONFIG, GRPC, Lab, lab, wait_until
from quench.live.sources.controller import ControllerSource
from quench_switch.p4runtime.address import DEFAULT_DEVICE_ID
from test_service import ect_packet

# The average is the queue itself, which never reaches these thresholds.
PROFILE = "{scheme: ecn, minth: 200pkts, maxth: 210pkts, maxp: 1.0, wq: 1.0}"
BURST = 60
READ_CURVE = f"""
import asyncio, json
from quench.live.sources.lone import LoneSource

async def main():
    source = LoneSource({GRPC!r}, {DEFAULT_DEVICE_ID})
    async for update in source.updates():
        if update["layout"] is not None:
            print(json.dumps(update["layout"]["switches"][0]["ports"]))
            break
    await source.close()

asyncio.run(main())
"""


def curve_of_port_2(network: Lab) -> list[dict[str, Any]]:
    """The curve that the switch's tables have, read by P4Runtime without the controller."""
    command = ["ip", "netns", "exec", network.name, sys.executable, "-c", READ_CURVE]
    ports = json.loads(subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout)
    [port] = [each for each in ports if each["port"] == 2]
    curve: list[dict[str, Any]] = port["queues"][0]["profile"]["curve"]
    return curve


@pytest.mark.netns
def test_a_drag_changes_the_switchs_table_and_its_marking(tmp_path: Path) -> None:
    with lab(tmp_path, CONFIG.replace(ALWAYS, f"{{{PROFILE}}}")) as network:
        network.start_switch("--port", "2:rate=10Mbps,capacity=100pkts")
        network.start_controller()
        wait_until(network.connected, 60)
        assert curve_of_port_2(network)[0]["start_pkts"] == pytest.approx(200, abs=0.1)
        with (
            served(ControllerSource(tmp_path / "ctl.sock")) as url,
            # More than port 2 can send.
            network.sending(ect_packet(), BURST, pause_s=0.03),
            closing(Browser(tmp_path)) as browser,
        ):
            browser.driver.get(url)
            browser.wait(lambda: browser.line("minth") and any(browser.column("depth_pkts")))
            assert not any(rate for rate in browser.column("marked_pps") if rate is not None)
            browser.drag("minth", 10)
            browser.wait(lambda: browser.text(".settings .done") == "Applied")
            dragged_to_pkts = float(browser.value("minth").removesuffix("pkts"))
            assert dragged_to_pkts < 30
            assert curve_of_port_2(network)[0]["start_pkts"] == pytest.approx(dragged_to_pkts, abs=0.1)
            browser.wait(lambda: any(rate for rate in browser.column("marked_pps") if rate is not None))
            browser.wait(lambda: "minth" in browser.text("#changes li"))
            assert browser.faults() == []
