# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Tables, counters and registers of a switch as the feed shows them, by reads alone."""

import time
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from typing import Any

import finsy as fy
from finsy import GRPCStatusCode

from quench.client.counters import Counts, port_counters, read_counters
from quench.client.entries import queue_index
from quench.client.pipelines import Found, Pipeline
from quench.client.pipelines.pipeline import profile_of, queue_of
from quench.client.program import ForeignProgramError, check_program
from quench.client.session import Session
from quench.config.fields import MAX_PORT
from quench.feed.layout import pieces, profile_layout
from quench.feed.model import PortLayout, PortSample, ProfileLayout, QueueSample
from quench.feed.port_rates import PortRates

MOST_PORTS = 64
"""Ports that are shown of a program without profiles, of those that have counted anything."""
IDLE_S = 0.5
"""A queue's registers say nothing of now when no packet has come to its port for so long."""
NO_REGISTERS = "The switch does not serve the registers in which Quench's program keeps the depth of its queues."
NOT_QUENCH = "The switch runs another program than Quench's: P4Runtime does not show the depth of its queues."
_NO_REGISTERS = (GRPCStatusCode.UNIMPLEMENTED, GRPCStatusCode.INVALID_ARGUMENT, GRPCStatusCode.UNKNOWN)

OwnProfile = Callable[[int, int, int], ProfileLayout | None]
"""The profile of a port's queue under an id, where its settings are known."""


class SwitchReader:
    """One connection's view of a switch."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._pipeline = _pipeline(session.p4info)
        self.sends_isqs = False
        """Whether a profile lets the switch itself send source quenches."""
        self._counters = port_counters(session.p4info)
        self._has_registers = self._pipeline is not None and self._pipeline.average_register is not None
        self._pointers: dict[tuple[int, int], int] = {}
        self._profiles: dict[int, Found] = {}
        self._ports: list[int] = []
        self._rates: dict[int, PortRates] = {}
        self._seen: dict[int, tuple[int, float]] = {}
        """Packets that have come to a port, and when the count grew last."""
        self._queues: dict[tuple[int, int], QueueSample] = {}

    @property
    def is_quench(self) -> bool:
        """Whether the switch runs one of Quench's programs."""
        return self._pipeline is not None

    async def read_tables(self) -> None:
        """Find the ports, and with Quench's program their profiles. Raises SessionError, fy.P4ClientError."""
        if self._pipeline is None:
            self._ports = await self._busy_ports()
            return
        self._pointers = dict([queue_of(entry) for entry in await self._entries(self._pipeline.queue_profile)])
        used = set(self._pointers.values())
        curves: dict[int, list[fy.P4TableEntry]] = {profile: [] for profile in used}
        for entry in await self._entries(self._pipeline.curve_tables[-1]):
            if (profile := profile_of(entry)) in used:
                curves[profile].append(entry)
        self._profiles = {
            profile: self._pipeline.found(entry, curves[profile])
            for entry in await self._entries(self._pipeline.parameter_tables[0])
            if (profile := profile_of(entry)) in used
        }
        self.sends_isqs = any(each.sends_isqs for each in self._profiles.values())
        self._ports = sorted({port for port, _ in self._pointers})

    async def _entries(self, table: str) -> list[fy.P4TableEntry]:
        return [entry async for entry in self._session.read([fy.P4TableEntry(table)])]

    async def read_counts(self) -> None:
        """Read counters and registers. Raises SessionError, fy.P4ClientError."""
        counters: dict[int, Counts] = await read_counters(self._session, self._counters, self._ports)
        now_s = time.monotonic()
        for port, its_counters in counters.items():
            self._rates.setdefault(port, PortRates()).add(now_s, its_counters, None)
            packets = sum(counts["packets"] for counts in its_counters.values())
            before, grew_s = self._seen.get(port, (packets, now_s - IDLE_S))
            self._seen[port] = (packets, now_s if packets != before else grew_s)
        if self._has_registers:
            await self._read_registers()

    def samples(self, switch: str, rate_bps: int | None) -> list[PortSample]:
        """The ports by the newest counts."""
        now_s = time.monotonic()
        return [
            self._rates.setdefault(layout["port"], PortRates()).sample(
                switch,
                layout,
                [self._queue(layout["port"], queue["queue"], now_s) for queue in layout["queues"]],
                now_s,
            )
            for layout in self.layouts(rate_bps, lambda *_: None)
        ]

    def layouts(self, rate_bps: int | None, own: OwnProfile) -> list[PortLayout]:
        """The ports with their queues.

        ``own`` knows the settings of some profiles. Those of others are found in their rows, as far as they can be.
        """
        return [
            {
                "port": port,
                "rate_bps": rate_bps,
                "queues": [
                    {
                        "queue": queue,
                        "profile": own(port, queue, profile) or self._profile(profile, rate_bps),
                        "number": profile,
                        "reason": None if self._has_registers else NO_REGISTERS,
                    }
                    for (each, queue), profile in sorted(self._pointers.items())
                    if each == port
                ]
                if self.is_quench
                else [{"queue": 0, "profile": None, "reason": NOT_QUENCH}],
            }
            for port in self._ports
        ]

    def _profile(self, profile: int, rate_bps: int | None) -> ProfileLayout:
        found = self._profiles.get(profile)
        if self._pipeline is None or found is None:
            return {"settings": {}, "thresholds": [], "curve": [], "mean_packet_bytes": None}
        return _profile_of_rows(self._pipeline, found, rate_bps)

    def _queue(self, port: int, queue: int, now_s: float) -> QueueSample:
        grew_s = self._seen[port][1] if port in self._seen else -IDLE_S
        profile = self._pointers.get((port, queue))
        nothing: QueueSample = {"queue": queue, "depth_pkts": None, "average_pkts": None, "profile": profile}
        return nothing if now_s - grew_s >= IDLE_S else self._queues.get((port, queue), nothing)

    async def _read_registers(self) -> None:
        assert self._pipeline is not None
        average_name, depth_name = self._pipeline.average_register, self._pipeline.depth_register
        assert average_name is not None
        assert depth_name is not None
        patterns = [
            fy.P4RegisterEntry(name, index=queue_index(port, queue))
            for port, queue in self._pointers
            for name in (average_name, depth_name)
        ]
        values: dict[tuple[str, int], int] = {}
        try:
            async for entry in self._session.read(patterns):
                if entry.index is not None and isinstance(entry.data, int):
                    values[entry.register_id, entry.index] = entry.data
        except fy.P4ClientError as error:
            # BMv2 does not serve registers: its queues are then absent.
            if error.code not in _NO_REGISTERS:
                raise
            self._has_registers = False
        for (port, queue), profile in self._pointers.items():
            index = queue_index(port, queue)
            average, depth = values.get((average_name, index)), values.get((depth_name, index))
            self._queues[port, queue] = {
                "queue": queue,
                "depth_pkts": depth,
                "average_pkts": None if average is None else round(average / self._pipeline.average_one_pkt, 3),
                "profile": profile,
            }

    async def _busy_ports(self) -> list[int]:
        busy = {
            entry.index
            async for entry in self._session.read([fy.P4CounterEntry(name) for name in self._counters])
            if entry.index is not None and entry.packet_count + entry.byte_count
        }
        return sorted(port for port in busy if port <= MAX_PORT)[:MOST_PORTS]


def _pipeline(schema: fy.P4Schema) -> Pipeline[Any] | None:
    try:
        return check_program(schema)
    except ForeignProgramError:
        return None


@lru_cache(maxsize=64)
def _profile_of_rows(pipeline: Pipeline[Any], found: Found, rate_bps: int | None) -> ProfileLayout:
    """The profile that these rows stand for; the curve alone where no settings are known that make them."""
    if rate_bps is not None:
        with suppress(ValueError):
            return profile_layout(pipeline.settings(found, rate_bps))
    return {"settings": {}, "thresholds": [], "curve": pieces(pipeline.curve(found)), "mean_packet_bytes": None}
