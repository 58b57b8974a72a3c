# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A source of the live feed without a network: what it shows is said by its test.

``python control_plane/tests/live_source.py`` serves the page with it, to look at while one works on the page.
"""

import asyncio
import math
import secrets
import socket
import sys
import time
from collections.abc import AsyncIterator
from typing import Any

from quench.feed.layout import profile_layout
from quench.feed.model import (
    INTERVAL_S,
    Change,
    Changed,
    Event,
    FlowSample,
    Layout,
    Playing,
    PortSample,
    Sample,
    Update,
)
from quench.feed.source import ChangeError
from quench.live.server import serve
from quench.profiles import parse_settings

PROFILE = {"scheme": "ecn-becn", "minth": "10KB", "becnthresh": "20KB", "maxth": "30KB"}


class MadeUp:
    """A switch with some ports, whose queues swing about their average."""

    def __init__(
        self, queues: tuple[int, ...] = (1,), flows: int = 0, *, idle: bool = False, past_s: float = 0.0
    ) -> None:
        self.flows = flows
        self.idle = idle
        self.lost: str | None = None
        self.changes: list[Change] = []
        self.events: list[Event] = []
        self.past_s = past_s
        self.rate_bps = dict.fromkeys(range(1, len(queues) + 1), 10_000_000)
        self.isq_mode = "cpu"
        self.profiles: dict[tuple[int, int], Any] = {
            (port, queue): parse_settings(PROFILE) for port, count in enumerate(queues, 1) for queue in range(count)
        }
        self.version = 0
        self.reasons: dict[tuple[int, int], str] = {}
        """Sentences about what the source cannot show."""
        self.watched = 0
        """Readers of the updates."""

    def layout(self) -> Layout:
        ports = [
            {
                "port": port,
                "rate_bps": rate_bps,
                "queues": [
                    {
                        "queue": queue,
                        "profile": profile_layout(settings) if settings is not None else None,
                        "reason": self.reasons.get((port, queue)),
                    }
                    for (of, queue), settings in self.profiles.items()
                    if of == port
                ],
            }
            for port, rate_bps in self.rate_bps.items()
        ]
        switch = {"switch": "s1", "connected": self.lost is None, "isq_mode": self.isq_mode, "ports": ports}
        return {
            "title": "made up", "clock": "unix", "can_change": True, "changes_isq": True, "playing": None,
            "switches": [switch], "network": self.network(),
        }  # type: ignore[typeddict-item]  # fmt: skip

    def network(self) -> dict[str, Any]:
        """Four servers behind another switch, and a client at each port."""
        servers = [f"server{number}" for number in range(1, 5)]
        clients = [f"client{port}" for port in self.rate_bps]
        links = [{"a": server, "a_port": None, "b": "s0", "b_port": port} for port, server in enumerate(servers, 1)]
        links.append({"a": "s0", "a_port": 9, "b": "s1", "b_port": 99})
        links += [
            {"a": "s1", "a_port": port, "b": client, "b_port": None}
            for port, client in zip(self.rate_bps, clients, strict=True)
        ]
        return {"hosts": servers + clients, "switches": ["s0", "s1"], "links": links}

    def sample(self, time_s: float) -> Sample:
        flows = [] if self.idle else [self._flow(number, time_s) for number in range(self.flows)]
        return {
            "time_s": time_s,
            "ports": [self._port(port, time_s) for port in self.rate_bps],
            "flows": flows,
            "hosts": [
                {"host": "server1", "algorithm": "ecn-becn", "counters": {"reactions_isq_marked": int(time_s) % 1000}}
            ][: len(flows)],
        }  # type: ignore[typeddict-item]  # fmt: skip

    def _port(self, port: int, time_s: float) -> PortSample:
        load = 0.0 if self.idle else 1.0
        return {
            "switch": "s1",
            "port": port,
            "utilisation": load * (0.9 + 0.05 * math.sin(time_s)),
            "seen_pps": load * 1000.0,
            "marked_pps": load * (12 + 5 * math.sin(time_s / 3)),
            "dropped_early_pps": load * (2 + math.sin(time_s / 5)),
            "dropped_forced_pps": 0.0,
            "isqs_pps": load * (6 + 3 * math.sin(time_s / 4 + 1)),
            "counters": {"MyIngress.seen_by_me": 17.0 * load},
            "queues": [
                {
                    "queue": queue,
                    "depth_pkts": None if self.idle else 18 + 14 * math.sin(2 * time_s + queue) * math.cos(time_s / 7),
                    "average_pkts": None if self.idle else 18 + 6 * math.sin(time_s / 4 + queue),
                    "profile": 1 + len(self.changes),
                }
                for of, queue in self.profiles
                if of == port
            ],
        }

    def _flow(self, number: int, time_s: float) -> FlowSample:
        return {
            "flow": f"server{number % 4 + 1} 10.0.1.{number % 4 + 1}:{40000 + number} > 10.1.1.1:5001",
            "host": f"server{number % 4 + 1}",
            "cwnd_pkts": 4 + (time_s * (1 + number / 50) + number) % 12,
            "ssthresh_pkts": 8.0,
            "srtt_ms": 40.0 + number,
            "retransmitted_pkts": 0,
            "reductions": int(time_s / 10) % 1000,
            "acked_bytes": int((time_s % 1e6) * 1e4),
        }  # type: ignore[typeddict-unknown-key,unused-ignore]

    async def updates(self) -> AsyncIterator[Update]:
        self.watched += 1
        try:
            async for update in self._updates():
                yield update
        finally:
            self.watched -= 1

    async def _updates(self) -> AsyncIterator[Update]:
        now = time.time()
        past = [self.sample(time_s) for time_s in self.past(now)]
        version, shown, was_lost = self.version, len(self.events), self.lost
        yield self._update(self.layout(), past, list(self.events))
        while True:
            await asyncio.sleep(INTERVAL_S)
            changed = version != self.version or was_lost != self.lost
            events = self.events[shown:]
            version, shown, was_lost = self.version, len(self.events), self.lost
            samples = [] if self.lost else [self.sample(time.time())]
            yield self._update(self.layout() if changed else None, samples, events)

    def past(self, now_s: float) -> list[float]:
        """Times of the samples that a page gets first."""
        return [now_s - ago * INTERVAL_S for ago in range(int(self.past_s / INTERVAL_S), 0, -1)]

    def _update(self, layout: Layout | None, samples: list[Sample], events: list[Event]) -> Update:
        return {"layout": layout, "samples": samples, "events": events, "restarted": False, "lost": self.lost}

    async def change(self, change: Change) -> Changed:
        key = (change.port, change.queue)
        if key not in self.profiles:
            raise ChangeError(f"{change.switch} has no port {change.port} with a queue {change.queue}")
        self.changes.append(change)
        if change.settings is not None:
            self.profiles[key] = change.settings
        self.rate_bps[change.port] = change.rate or self.rate_bps[change.port]
        self.isq_mode = change.isq_mode or self.isq_mode
        self.version += 1
        settings = self.profiles[key].model_dump(mode="json")
        text = f"{change.switch} port {change.port}: {settings['scheme']}: minth {settings.get('minth')}"
        self.events.append(
            {
                "time_s": time.time(),
                "kind": "profile",
                "switch": "s1",
                "port": change.port,
                "queue": change.queue,
                "text": text,
                "change": len(self.events) + 1,
            }  # type: ignore[typeddict-unknown-key,unused-ignore]
        )
        return {
            "profile": 1,
            "settings": settings,
            "rate_bps": self.rate_bps[change.port],
            "isq_mode": self.isq_mode,
        }

    async def close(self) -> None:
        """Nothing is open."""


class Recorded(MadeUp):
    """The same as a recording."""

    paused = False
    speed = 3.0
    time_s = 0.0

    def layout(self) -> Layout:
        playing: Playing = {"duration_s": 60.0, "paused": self.paused, "speed": self.speed}
        return {**super().layout(), "clock": "run", "can_change": False, "playing": playing}

    def play(self, *, paused: bool | None = None, speed: float | None = None, time_s: float | None = None) -> None:
        self.paused = self.paused if paused is None else paused
        self.speed = self.speed if speed is None else speed
        self.time_s = self.time_s if time_s is None else time_s
        self.version += 1


async def _main() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    token = secrets.token_urlsafe(32)
    sys.stdout.write(f"http://127.0.0.1:{listener.getsockname()[1]}/#token={token}\n")
    sys.stdout.flush()
    queues = tuple(int(count) for count in sys.argv[1].split(",")) if len(sys.argv) > 1 else (1,)
    idle = "idle" in sys.argv
    await serve(MadeUp(queues, flows=30, idle=idle, past_s=60.0), listener, token, frozenset())


if __name__ == "__main__":
    asyncio.run(_main())
