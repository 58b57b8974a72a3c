# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A source of the live feed that a test fills, and the feed's parts with values that a test does not care about."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from quench.feed.layout import profile_layout
from quench.feed.model import Change, Changed, FlowSample, Layout, PortSample, ProfileLayout, Sample, Update
from quench.feed.source import ChangeError
from quench.profiles import parse_settings

N1 = {"scheme": "ecn-becn", "minth": "15KB", "becnthresh": "20KB", "maxth": "45KB"}
START_S = 1_800_000_000.0


def profile(**settings: Any) -> ProfileLayout:
    return profile_layout(parse_settings(settings or N1))


def layout(
    queues: dict[tuple[str, int, int], ProfileLayout | None],
    *,
    connected: bool = True,
    number: int | None = None,
    **more: Any,
) -> Layout:
    """A layout with these queues, each port at 10 Mb/s; ``number``: of the profile of all of them."""
    switches: dict[str, dict[int, dict[int, ProfileLayout | None]]] = {}
    for (switch, port, queue), each in queues.items():
        switches.setdefault(switch, {}).setdefault(port, {})[queue] = each
    return {
        "title": "test",
        "clock": "unix",
        "can_change": True,
        "changes_isq": True,
        "playing": None,
        "switches": [
            {
                "switch": name,
                "connected": connected,
                "isq_mode": "cpu",
                "ports": [
                    {
                        "port": port,
                        "rate_bps": 10**7,
                        "queues": [
                            {"queue": queue, "profile": each, "number": number} for queue, each in found.items()
                        ],
                    }
                    for port, found in ports.items()
                ],
            }
            for name, ports in switches.items()
        ],
        **more,
    }


def port_sample(
    switch: str = "s1",
    port: int = 2,
    queue: int = 0,
    depth: float | None = 31,
    average: float | None = 22.41,
    profile: int | None = None,
    **more: Any,
) -> PortSample:
    return {
        "switch": switch,
        "port": port,
        "utilisation": 0.98,
        "seen_pps": 1234.0,
        "marked_pps": 12.3,
        "dropped_early_pps": 0.5,
        "dropped_forced_pps": 0.25,
        "isqs_pps": 8.1,
        "counters": {},
        "queues": [{"queue": queue, "depth_pkts": depth, "average_pkts": average, "profile": profile}],
        **more,
    }


def flow(name: str = "server1 10.0.1.1:40000 > 10.1.1.1:5001", cwnd: float = 12) -> FlowSample:
    return {
        "flow": name,
        "host": "server1",
        "cwnd_pkts": cwnd,
        "ssthresh_pkts": None,
        "srtt_ms": 41.25,
        "retransmitted_pkts": 3,
        "reductions": 17,
    }


def sample(*ports: PortSample, time_s: float = START_S, **more: Any) -> Sample:
    return {"time_s": time_s, "ports": list(ports), "flows": [], "hosts": [], **more}


def update(*samples: Sample, **more: Any) -> Update:
    return {"layout": None, "samples": list(samples), "events": [], "restarted": False, "lost": None, **more}


class FakeSource:
    """Shows the updates that a test puts into it, and remembers the changes that were asked for."""

    def __init__(self, *updates: Update, ends: bool = False) -> None:
        """``ends``: with the last of these updates; else more may follow."""
        self.changes: list[Change] = []
        self.refusal: str | None = None
        self.closed = False
        self._ends = ends
        self._updates: asyncio.Queue[Update] = asyncio.Queue()
        for each in updates:
            self.put(each)

    def put(self, new: Update) -> None:
        self._updates.put_nowait(new)

    async def updates(self) -> AsyncIterator[Update]:
        while not (self._ends and self._updates.empty()):
            yield await self._updates.get()

    async def change(self, change: Change) -> Changed:
        if self.refusal is not None:
            raise ChangeError(self.refusal)
        self.changes.append(change)
        return {"profile": 7, "settings": {}, "rate_bps": 10**7, "isq_mode": "cpu"}

    async def close(self) -> None:
        self.closed = True
