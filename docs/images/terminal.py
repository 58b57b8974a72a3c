# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Draws the picture of docs/how-to/see-it-in-a-terminal.md: ``python docs/images/terminal.py FILE.svg``.

It is the screen of ``quench top`` while it plays back a simulation, whose seed is fixed, at 12 flows over N1.
"""

import asyncio
import re
import sys
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from quench.live.sources.playback import PlaybackSource
from quench.top.app import TopApp
from quench_experiments.simulation.recording import read_recording
from quench_experiments.simulation.run import simulate
from quench_experiments.simulation.scenario import Scenario
from textual.widgets import Static

COLUMNS, LINES = 96, 28
FLOWS = 12
DURATION_S = 100
SHOWN_S = 80.0
WITHIN_S = 60
PROFILE = {"scheme": "ecn-becn", "minth": "15KB", "becnthresh": "20KB", "maxth": "45KB"}


def scenario() -> Scenario:
    """N1 of P1: senders, a bottleneck of 10 Mb/s with 90 KB, receivers."""
    access, bottleneck = {"rate_bps": 100e6}, {"rate_bps": 10e6, "buffer_bytes": 90_000}
    values: dict[str, Any] = {
        "duration_s": DURATION_S,
        "warmup_s": 1,
        "hosts": list(_hosts()),
        "routers": [{"name": "s1", "profiles": {"bottleneck.ab": PROFILE}}, {"name": "s2"}],
        "links": [{"name": "bottleneck", "a": "s1", "b": "s2", "delay_s": 0.04, "ab": bottleneck, "ba": bottleneck}],
        "stacks": {"becn": {"preset": "ns2-2001", "algorithm": "ecn-becn"}},
        "sources": [],
        "measure": {"series": ["bottleneck.ab"], "cwnd": True},
    }
    for number in range(1, FLOWS + 1):
        for side, router in (("server", "s1"), ("client", "s2")):
            ends = {"name": f"{side}{number}", "a": f"{side}{number}", "b": router}
            values["links"].append({**ends, "delay_s": 0.002, "ab": access, "ba": access})
        source = {"name": f"flow{number}", "kind": "ftp", "from": f"server{number}", "to": f"client{number}"}
        values["sources"].append({**source, "stack": "becn"})
    return Scenario.parse(values)


def _hosts() -> Iterator[dict[str, str]]:
    for number in range(1, FLOWS + 1):
        yield {"name": f"server{number}", "address": f"10.0.{number}.1"}
        yield {"name": f"client{number}", "address": f"10.1.{number}.1"}


async def screen(folder: Path) -> str:
    """The screen as SVG. Raises TimeoutError if it does not come."""
    source = PlaybackSource(read_recording(folder))
    source.play(paused=True, time_s=SHOWN_S)
    app = TopApp(source)
    async with app.run_test(size=(COLUMNS, LINES)) as pilot, asyncio.timeout(WITHIN_S):
        while app.state.time_s is None or app.state.time_s < SHOWN_S:
            await pilot.pause(0.1)
        # The moment may be known before it is drawn.
        while f"{FLOWS} flows" not in str(app.query_one("#flow-rows", Static).content):
            await pilot.pause(0.1)
        await pilot.pause(0.5)
        return app.export_screenshot(title="quench top")


def write(path: Path, svg: str) -> None:
    """Write the picture without the fonts that it would load from elsewhere."""
    own = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    own = re.sub(r"font-family: [^;]*Fira Code[^;]*;", "font-family: monospace;", own)
    tags = "<!-- SPDX-FileCopyrightText: 2026 The Quench Authors -->\n<!-- SPDX-License-Identifier: Apache-2.0 -->\n"
    start = own.index(">") + 1
    path.write_text(
        f"{own[:start]}\n{tags}<!-- Written by docs/images/terminal.py. -->{own[start:]}\n", encoding="utf-8"
    )


def draw(path: Path) -> None:
    """Simulate, play back, and write the picture."""
    with TemporaryDirectory() as folder, chdir(folder):
        # The screen shows the name.
        simulate(scenario()).to_parquet("n1")
        write(path, asyncio.run(screen(Path("n1"))))


if __name__ == "__main__":
    draw(Path(sys.argv[1]).absolute())
