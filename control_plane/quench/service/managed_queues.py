# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The queues of a switch that runs Quench's program: their profiles, and the sender of source quenches about them."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from quench.client.packet_in import Copy
from quench.client.pipelines import Pipeline
from quench.client.pipelines.pipeline import QueueKey
from quench.client.session import Session
from quench.client.writer import SwitchWriter
from quench.config.isq import IsqConfig, IsqMode, MeterConfig
from quench.config.model import Queue, SwitchConfig
from quench.errors import ConfigError
from quench.feed.model import Change, Changed
from quench.profiles.changes import changed_profile, written
from quench.profiles.settings import RedSettings
from quench.service.answers import ProfileAnswer, profile_answer
from quench.service.places import check_place
from quench.service.requests import ThresholdsSet
from quench.units import Depth

LOGGER = logging.getLogger(__name__)


class RequestError(Exception):
    """A request that can't be carried out; nothing was changed."""


class ManagedQueues:
    """Keeps what the queues of one switch should have, and changes it under traffic."""

    def __init__(
        self,
        switch: SwitchConfig,
        pipeline: Pipeline[Any],
        queues: dict[QueueKey, Queue],
        isq: IsqConfig,
        changed: Callable[[], None],
        refusal: str | None = None,
    ) -> None:
        """``refusal`` says why nothing can be changed, where the switch has no such queues. Raises ConfigError."""
        self.isq_mode: IsqMode = isq.mode
        self.isq_limit: MeterConfig | None = isq.per_queue
        self._isq = isq
        self._switch = switch
        self._pipeline = pipeline
        self._queues = queues
        self._changed = changed
        self._refusal = refusal
        self._changing = asyncio.Lock()
        self._connection: tuple[Session, SwitchWriter] | None = None
        self._numbers: dict[QueueKey, int | None] = {}
        """The ids of the profiles that ``_queues`` has, on the switch that is connected."""
        self._check()

    def _check(self) -> None:
        """Raise ConfigError for settings that this program's tables cannot say."""
        name = self._switch.name
        if self._switch.tna is not None and not self._pipeline.takes_tna_settings:
            raise ConfigError(f"switch {name!r}: 'tna' is for the TNA program: leave it out")
        for route in self._switch.routes:
            if len(route.hops) > 1 and not self._pipeline.takes_groups:
                raise ConfigError(
                    f"switch {name!r}: the route to {route.prefix} has {len(route.hops)} next hops, which the TNA "
                    "program does not take: give one"
                )
        for (port, number), queue in self._queues.items():
            try:
                self._compiled(queue)
            except ValueError as error:
                raise ConfigError(f"switch {name!r}: port {port} queue {number}: {error}") from error

    def __len__(self) -> int:
        return len(self._queues)

    @property
    def ports(self) -> list[int]:
        """The ports that have a queue with a profile."""
        return sorted({port for port, _ in self._queues})

    def in_packets(self, copy: Copy) -> Copy:
        """A packet-in whose depths are in packets of its queue's mean size."""
        queue = self._queues.get((copy.egress_port, copy.queue))
        return self._pipeline.in_packets(copy, queue.settings.mean_packet_bytes) if queue is not None else copy

    async def program(self, session: Session) -> None:
        """Write all that the switch should have. From now on it can be changed."""
        writer = SwitchWriter(session, self._pipeline)
        rows = {key: self._compiled(queue) for key, queue in self._queues.items()}
        await writer.program(self._switch, rows, self._isq.model_copy(update={"per_queue": self.isq_limit}))
        self._numbers = {key: writer.number(*key) for key in self._queues}
        self._connection = session, writer

    def disconnect(self) -> None:
        """The switch is away: changes are refused until it is programmed anew."""
        self._connection = None
        self._numbers = {}

    async def set_profile(self, request: ThresholdsSet) -> ProfileAnswer:
        """Change a queue's profile under traffic; what it became. Raises RequestError."""
        async with self._changing:
            _, writer = self._connected()
            key = self._queue_of(request)
            before = self._queues.get(key)
            rate_bps = request.rate or self._rate_bps(key[0])
            buffer = request.buffer or self._buffer(key[0])
            settings = request.settings or (before.settings if before is not None else None)
            try:
                changed = Queue(changed_profile(settings, request.changes, request.unset), rate_bps, buffer)
                rows = self._compiled(changed)
            except ValueError as error:
                raise RequestError(f"port {key[0]} queue {key[1]} of {self._switch.name!r}: {error}") from error
            profile_id = await writer.set_profile(*key, rows)
            self._queues[key] = changed
            self._numbers[key] = profile_id
            self._changed()
            if before is None:
                await writer.set_isq_limit(self.isq_limit)
            return profile_answer(profile_id, key[1], changed)

    def _queue_of(self, request: ThresholdsSet) -> QueueKey:
        """The queue that a change is for. Raises RequestError if the switch has no such port or queue."""
        config, port, queue = self._switch, request.port, request.queue
        profiled = sorted(number for each, number in self._queues if each == port)
        if queue is None:
            if len(profiled) > 1:
                queues = ", ".join(map(str, profiled))
                raise RequestError(
                    f"port {port} of {self._switch.name!r} has profiles on queues {queues}: give --queue"
                )
            queue = profiled[0] if profiled else 0
        try:
            check_place(
                port,
                queue,
                {*config.ports, *config.route_ports},
                {0, *profiled, *(each.queue for each in config.classes)},
            )
        except ValueError as error:
            raise RequestError(f"{self._switch.name!r}: {error}") from error
        return port, queue

    def _rate_bps(self, port: int) -> int:
        """The rate of a port by its configuration, or by its last change. Raises RequestError."""
        rate_bps = next((queue.rate_bps for (each, _), queue in self._queues.items() if each == port), None)
        if rate_bps is None:
            raise RequestError(f"port {port} of {self._switch.name!r} has no known rate: give --rate")
        return rate_bps

    def _buffer(self, port: int) -> Depth | None:
        """The capacity of a port's queues by its last change, or by its configuration."""
        running = (queue.buffer for (each, _), queue in self._queues.items() if each == port)
        return next((buffer for buffer in running if buffer is not None), None)

    def buffer(self, port: int, queue: int) -> Depth | None:
        """The capacity of a queue with a profile, where it was given: thresholds in percent are of it."""
        return self._queues[port, queue].buffer

    async def change(self, change: Change) -> Changed:
        """Change a queue's profile, its port's rate and the sender of ISQs at once. Raises RequestError.

        A packet sees all of it or nothing. Other queues that the rate or the sender concerns follow one by one, and so
        does the link, if the switch shapes it by a service of its own as the embedded switch does.
        """
        async with self._changing:
            session, writer = self._connected()
            key = (change.port, change.queue)
            before = self._queues.get(key)
            if before is None:
                place = f"port {change.port} queue {change.queue} of {self._switch.name!r}"
                raise RequestError(f"{place} has no profile: 'quench thresholds set' gives it one")
            after = Queue(change.settings or before.settings, change.rate or before.rate_bps, before.buffer)
            mode = change.isq_mode or self.isq_mode
            in_dataplane = mode == "dataplane"
            everywhere = in_dataplane != (self.isq_mode == "dataplane")
            queues = {key: after} | {
                other: replace(queue, rate_bps=after.rate_bps) if other[0] == key[0] else queue
                for other, queue in self._queues.items()
                if other != key
            }
            moving = {each: queue for each, queue in queues.items() if everywhere or queue != self._queues[each]}
            try:
                rows = {each: self._compiled(queue, isq_in_dataplane=in_dataplane) for each, queue in moving.items()}
            except ValueError as error:
                raise RequestError(str(error)) from error
            ids = {}
            try:
                if after.rate_bps != before.rate_bps:
                    await session.set_link_rate(change.port, after.rate_bps)
                for each, queue in moving.items():
                    ids[each] = self._numbers[each] = await writer.set_profile(*each, rows[each])
                    self._queues[each] = queue
                self.isq_mode = mode
            finally:
                self._changed()
        return {
            "profile": ids.get(key),
            "settings": after.whole.model_dump(mode="json"),
            "rate_bps": after.rate_bps,
            "isq_mode": mode,
        }

    def number(self, port: int, queue: int) -> int | None:
        """The id of a queue's profile on the switch; None: it has none now."""
        return self._numbers.get((port, queue))

    def check_connected(self) -> None:
        """Raise RequestError if nothing can be changed now."""
        self._connected()

    async def set_isq(self, mode: IsqMode | None, limit: MeterConfig | None, *, change_limit: bool) -> None:
        """Change the sender of ISQs under traffic, and the limit of the switch's own. Raises RequestError."""
        async with self._changing:
            _, writer = self._connected()
            if change_limit:
                await writer.set_isq_limit(limit)
                self.isq_limit = limit
            if mode is None or mode == self.isq_mode:
                return
            in_dataplane = mode == "dataplane"
            if in_dataplane != (self.isq_mode == "dataplane"):
                for key, queue in self._queues.items():
                    rows = self._compiled(queue, isq_in_dataplane=in_dataplane)
                    self._numbers[key] = await writer.set_profile(*key, rows)
                    self._changed()
            self.isq_mode = mode
            self._changed()
            LOGGER.info("%s: source quenches: %s", self._switch.name, mode)

    def _compiled(self, queue: Queue, *, isq_in_dataplane: bool | None = None) -> Any:
        if isq_in_dataplane is None:
            isq_in_dataplane = self.isq_mode == "dataplane"
        return self._pipeline.compile(queue.whole, queue.rate_bps, isq_in_dataplane=isq_in_dataplane)

    def _connected(self) -> tuple[Session, SwitchWriter]:
        if self._refusal is not None:
            raise RequestError(self._refusal)
        if self._connection is None:
            name = self._switch.name
            raise RequestError(f"switch {name!r} is not connected: start it, or look at the controller's log")
        return self._connection

    def maxth_pkts(self) -> dict[QueueKey, float | None]:
        """The threshold maxth of each queue, in packets; None for a profile without one."""
        profiles = {key: queue.whole for key, queue in self._queues.items()}
        return {
            key: each.in_pkts(each.maxth) if isinstance(each, RedSettings) else None for key, each in profiles.items()
        }

    def thresholds(self) -> list[dict[str, Any]]:
        """The profile of each queue, for people."""
        return [
            {
                "switch": self._switch.name,
                "port": port,
                "queue": number,
                "rate_bps": queue.rate_bps,
                "connected": self._connection is not None,
                "profile": self.number(port, number),
                "settings": queue.whole.model_dump(mode="json"),
                "defaults": queue.defaults,
                "given": written(queue.settings),
            }
            for (port, number), queue in sorted(self._queues.items())
        ]
