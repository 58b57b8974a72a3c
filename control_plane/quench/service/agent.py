# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""One switch's agent: connects, programs, answers, and starts again when the switch comes back."""

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import finsy as fy
from finsy.proto import p4r
from google.protobuf import text_format
from quench_switch.outside.files import PROGRAM_BYTES, read_file
from quench_switch.outside.log_limit import BURST, EACH_S
from quench_switch.outside.text import one_line

from quench.client.counters import Counts, port_counters, read_counters
from quench.client.election import priority_of
from quench.client.packet_in import Copy
from quench.client.pipelines import V1MODEL, Pipeline
from quench.client.pipelines.pipeline import QueueKey
from quench.client.program import ForeignProgramError, check_program
from quench.client.quencher import Quencher
from quench.client.schema import read_schema
from quench.client.session import Session, SessionError, Target
from quench.client.tls import credentials
from quench.client.writer import SwitchWriter
from quench.config.model import Config, IsqMode, MeterConfig, Queue, SwitchConfig
from quench.errors import ConfigError
from quench.feed.model import Change, Changed
from quench.isq import Limiter
from quench.isq.limiter import RateLimit, TokenBucket
from quench.profiles.changes import changed_profile
from quench.service.answers import ProfileAnswer, profile_answer
from quench.service.metrics import IsqObserver, Metrics
from quench.service.packets import PacketIns
from quench.service.places import check_place
from quench.service.requests import ThresholdsSet
from quench.units import Depth

if TYPE_CHECKING:
    from quench.service.own_program import OwnProgram

LOGGER = logging.getLogger(__name__)

RETRY_S = 0.1
"""Pause after a connection ended; it doubles each time that the next one fails, up to ``MAX_RETRY_S``."""
MAX_RETRY_S = 0.5
LOG_LIMIT = RateLimit(rate_per_s=1 / EACH_S, burst=BURST)
"""Limit of log lines about the state of a switch, as that of ``LogLimit``: a state that was left out is said later."""


class RequestError(Exception):
    """A request that can't be carried out; nothing was changed."""


class SwitchAgent:
    """Runs for as long as the controller does."""

    def __init__(
        self, config: Config, switch: SwitchConfig, metrics: Metrics, changed: Callable[[], None] = lambda: None
    ) -> None:
        """``changed`` is called after each change of profiles, rates, the sender of ISQs or the connection."""
        self.name = switch.name
        self._changed = changed
        self._changing = asyncio.Lock()
        self._switch_config = switch
        self._queues: dict[QueueKey, Queue] = config.queues_of(switch)
        self._metrics = metrics
        self._session: Session | None = None
        self._writer: SwitchWriter | None = None
        self._state = ""
        self._log_bucket = TokenBucket(LOG_LIMIT, time.monotonic())
        self._unsaid = 0
        limits = config.isq
        self._isq_mode: IsqMode = limits.mode
        self._isq_limit: MeterConfig | None = limits.per_queue
        quencher = Quencher(
            switch.router_address,
            Limiter(
                limits.per_source.to_limit() if limits.per_source else None,
                limits.total.to_limit() if limits.total else None,
            ),
            IsqObserver(metrics, switch.name),
        )
        self.packet_ins = PacketIns(switch.name, quencher, metrics, limits.max_age, self._in_packets)
        self._pipeline: Pipeline[Any] = V1MODEL
        self._own: OwnProgram | None = None
        self._schema = self._load_pipeline(switch)
        self._port_counters = port_counters(self._schema)
        self._target = Target(switch.address, switch.device_id, credentials(switch.tls))
        self._priority = config.election_id
        metrics.connected.labels(self.name).set(0)
        metrics.primary.labels(self.name).set(0)

    def _load_pipeline(self, switch: SwitchConfig) -> fy.P4Schema:
        """The P4Info of the program, which is known afterwards. Raises ConfigError."""
        pipeline = switch.pipeline
        if pipeline.program is not None:
            # Here, because few switches have another program, and its models take a while to build.
            from quench.service.own_program import OwnProgram

            self._own = OwnProgram(pipeline.program, switch)
            return self._own.schema
        assert pipeline.p4info is not None
        assert pipeline.json_ is not None
        try:
            info, blob = (read_file(path, PROGRAM_BYTES) for path in (pipeline.p4info, pipeline.json_))
            schema = read_schema(info, blob)
            self._pipeline = check_program(schema)
        except FileNotFoundError as error:
            place, needed = error.filename, "compile it with 'make p4'"
            raise ConfigError(f"{place}: pipeline of switch {self.name!r} is missing: {needed}") from error
        except OSError as error:
            raise ConfigError(f"{error.filename}: pipeline of switch {self.name!r}: {error.strerror}") from error
        except ForeignProgramError as error:
            raise ConfigError(f"{pipeline.p4info}: pipeline of switch {self.name!r}: {error}") from error
        except (ValueError, text_format.ParseError) as error:
            raise ConfigError(f"{pipeline.p4info}: is not a P4Info file: {error}") from error
        self._check_profiles()
        return schema

    def _check_profiles(self) -> None:
        """Raise ConfigError for settings that this program's tables cannot say."""
        if self._switch_config.tna is not None and not self._pipeline.takes_tna_settings:
            raise ConfigError(f"switch {self.name!r}: 'tna' is for the TNA program: leave it out")
        for (port, number), queue in self._queues.items():
            try:
                self._compiled(queue)
            except ValueError as error:
                raise ConfigError(f"switch {self.name!r}: port {port} queue {number}: {error}") from error

    def _in_packets(self, copy: Copy) -> Copy:
        queue = self._queues.get((copy.egress_port, copy.queue))
        return self._pipeline.in_packets(copy, queue.settings.mean_packet_bytes) if queue is not None else copy

    @property
    def ready(self) -> bool:
        """Whether the switch is connected and programmed."""
        return self._session is not None

    async def run(self) -> None:
        """Keep the switch programmed until cancelled, while this controller is primary; else stand by."""
        pause_s = RETRY_S
        while True:
            session = Session(self._target, self._schema, self._priority)
            try:
                await session.run(self)
            except SessionError as error:
                self._say(logging.WARNING, f"{self._target.address}: {error}: trying again")
            except Exception as error:
                # A fault of ours that one switch brought out must not end the work for the other switches.
                if self._say(logging.ERROR, one_line(f"internal error {error!r}: connecting anew")):
                    LOGGER.exception("%s: how it came about", self.name, extra={"about": self.name})
            pause_s = RETRY_S if session.lasted_s() > MAX_RETRY_S else min(2 * pause_s, MAX_RETRY_S)
            await asyncio.sleep(pause_s)

    async def primary(self, session: Session) -> None:
        """Program the switch, and answer its packets until that ends."""
        self._metrics.primary.labels(self.name).set(1)
        try:
            async with asyncio.TaskGroup() as tasks:
                # A copy is either a packet-in or the switch's own ISQ. While the mode changes there are some of each.
                tasks.create_task(self.packet_ins.answer(session, lambda: self._isq_mode != "off"))
                await self._program(session)
        finally:
            self._session = self._writer = None
            self._changed()
            self._metrics.primary.labels(self.name).set(0)
            self._metrics.connected.labels(self.name).set(0)

    def backup(self, highest: int) -> None:
        """Log once that another controller is primary."""
        self._say(logging.INFO, f"standing by: the controller with election id {priority_of(highest)} is primary")

    def packet(self, packet: p4r.PacketIn) -> None:
        """Queue a packet-in."""
        self.packet_ins.put(packet)

    def stream_error(self, error: p4r.StreamError) -> None:
        """Count an ISQ that the switch could not send."""
        self._metrics.stream_errors.labels(self.name).inc()
        LOGGER.debug("%s: a message was refused: %s", self.name, error.message)

    async def _program(self, session: Session) -> None:
        is_new = await session.set_pipeline()
        if self._own is not None:
            await self._own.program(session, is_new=is_new)
            self._programmed(session, None, f"{self._own.title}, {len(self._own.ports)} managed queues")
            return
        writer = SwitchWriter(session, self._pipeline)
        rows = {key: self._compiled(queue) for key, queue in self._queues.items()}
        await writer.program(self._switch_config, rows, self._isq_limit)
        self._programmed(session, writer, f"{len(self._queues)} profiles")

    def _programmed(self, session: Session, writer: SwitchWriter | None, what: str) -> None:
        self._session, self._writer = session, writer
        self._metrics.connected.labels(self.name).set(1)
        self._metrics.connections.labels(self.name).inc()
        self._say(logging.INFO, f"programmed: {len(self._switch_config.routes)} routes, {what}")
        self._changed()

    def _say(self, level: int, state: str) -> bool:
        """Log a state when it changes, within ``LOG_LIMIT``: a switch that is away for a day is one line."""
        if state == self._state:
            return False
        if self._log_bucket.refill(time.monotonic()) < 1:
            self._unsaid += 1
            return False
        self._log_bucket.take()
        left_out = f" ({self._unsaid} lines about this switch were left out before)" if self._unsaid else ""
        self._state, self._unsaid = state, 0
        LOGGER.log(level, "%s: %s%s", self.name, state, left_out, extra={"about": self.name})
        return True

    async def set_profile(self, request: ThresholdsSet) -> ProfileAnswer:
        """Change a queue's profile under traffic; what it became. Raises RequestError."""
        async with self._changing:
            writer = self._connected()
            key = self._queue_of(request)
            before = self._queues.get(key)
            rate_bps = request.rate or self._rate_bps(key[0])
            buffer = request.buffer or self._buffer(key[0])
            settings = request.settings or (before.settings if before is not None else None)
            try:
                changed = Queue(changed_profile(settings, request.changes, request.unset), rate_bps, buffer)
                rows = self._compiled(changed)
            except ValueError as error:
                raise RequestError(f"port {key[0]} queue {key[1]} of {self.name!r}: {error}") from error
            profile_id = await writer.set_profile(*key, rows)
            self._queues[key] = changed
            self._changed()
            if before is None:
                await writer.set_isq_limit(self._isq_limit)
            return profile_answer(profile_id, key[1], changed)

    def _queue_of(self, request: ThresholdsSet) -> QueueKey:
        """The queue that a change is for. Raises RequestError if the switch has no such port or queue."""
        config, port, queue = self._switch_config, request.port, request.queue
        profiled = sorted(number for each, number in self._queues if each == port)
        if queue is None:
            if len(profiled) > 1:
                queues = ", ".join(map(str, profiled))
                raise RequestError(f"port {port} of {self.name!r} has profiles on queues {queues}: give --queue")
            queue = profiled[0] if profiled else 0
        try:
            check_place(
                port,
                queue,
                {*config.ports, *(route.port for route in config.routes)},
                {0, *profiled, *(each.queue for each in config.classes)},
            )
        except ValueError as error:
            raise RequestError(f"{self.name!r}: {error}") from error
        return port, queue

    def _rate_bps(self, port: int) -> int:
        """The rate of a port by its configuration, or by its last change. Raises RequestError."""
        rate_bps = next((queue.rate_bps for (each, _), queue in self._queues.items() if each == port), None)
        if rate_bps is None:
            raise RequestError(f"port {port} of {self.name!r} has no known rate: give --rate")
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
            writer = self._connected()
            key = (change.port, change.queue)
            before = self._queues.get(key)
            if before is None:
                place = f"port {change.port} queue {change.queue} of {self.name!r}"
                raise RequestError(f"{place} has no profile: 'quench thresholds set' gives it one")
            after = Queue(change.settings or before.settings, change.rate or before.rate_bps, before.buffer)
            mode = change.isq_mode or self._isq_mode
            in_dataplane = mode == "dataplane"
            everywhere = in_dataplane != (self._isq_mode == "dataplane")
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
                if after.rate_bps != before.rate_bps and self._session is not None:
                    await self._session.set_link_rate(change.port, after.rate_bps)
                for each, queue in moving.items():
                    ids[each] = await writer.set_profile(*each, rows[each])
                    self._queues[each] = queue
                self._isq_mode = mode
            finally:
                self._changed()
        return {
            "profile": ids.get(key),
            "settings": after.whole.model_dump(mode="json"),
            "rate_bps": after.rate_bps,
            "isq_mode": mode,
        }

    def check_connected(self) -> None:
        """Raise RequestError if nothing can be changed now."""
        self._connected()

    async def set_isq(self, mode: IsqMode | None, limit: MeterConfig | None, *, change_limit: bool) -> None:
        """Change the sender of ISQs under traffic, and the limit of the switch's own. Raises RequestError."""
        async with self._changing:
            writer = self._connected()
            if change_limit:
                await writer.set_isq_limit(limit)
                self._isq_limit = limit
            if mode is None or mode == self._isq_mode:
                return
            in_dataplane = mode == "dataplane"
            if in_dataplane != (self._isq_mode == "dataplane"):
                for (port, number), queue in self._queues.items():
                    await writer.set_profile(port, number, self._compiled(queue, isq_in_dataplane=in_dataplane))
            self._isq_mode = mode
            self._changed()
            LOGGER.info("%s: source quenches: %s", self.name, mode)

    def isq(self) -> dict[str, Any]:
        """The sender of ISQs, and the limit of those that the switch sends."""
        limit = self._isq_limit.model_dump(mode="json") if self._isq_limit else None
        return {"switch": self.name, "mode": self._isq_mode, "per_queue": limit, "connected": self.ready}

    def _compiled(self, queue: Queue, *, isq_in_dataplane: bool | None = None) -> Any:
        if isq_in_dataplane is None:
            isq_in_dataplane = self._isq_mode == "dataplane"
        return self._pipeline.compile(queue.whole, queue.rate_bps, isq_in_dataplane=isq_in_dataplane)

    def _connected(self) -> SwitchWriter:
        if self._own is not None:
            raise RequestError(
                f"switch {self.name!r} runs {self._own.title}, which has no profiles and no source quenches: change "
                "its settings in the controller's configuration"
            )
        if self._writer is None:
            raise RequestError(f"switch {self.name!r} is not connected: start it, or look at the controller's log")
        return self._writer

    def queues_without_profile(self) -> list[tuple[int, int, int]]:
        """The managed queues of a program that is not Quench's: port, queue, and the port's rate in bits/s."""
        return [] if self._own is None else self._own.queues

    @property
    def sends_isqs(self) -> bool:
        """Whether source quenches may be sent about this switch's queues."""
        return self._own is None

    def thresholds(self) -> list[dict[str, Any]]:
        """The profile of each queue, for people."""
        return [
            {
                "switch": self.name,
                "port": port,
                "queue": number,
                "rate_bps": queue.rate_bps,
                "connected": self.ready,
                "settings": queue.whole.model_dump(mode="json"),
            }
            for (port, number), queue in sorted(self._queues.items())
        ]

    async def stats(self) -> dict[str, Any]:
        """Counters of the switch and of what the controller did with its packets."""
        labels = {"packet_ins": "reason", "isqs_sent": "kind", "isqs_limited": "limit", "isqs_refused": "reason"}
        result: dict[str, Any] = {
            "switch": self.name,
            "connected": self.ready,
            "ports": {},
            "queues": [asdict(report) for report in self.packet_ins.newest_reports()],
        }
        for name, label in labels.items():
            result[name] = self._metrics.values(getattr(self._metrics, name), self.name, [label])
        result["ports"] = await self.port_counters()
        return result

    async def port_counters(self) -> dict[int, Counts]:
        """The program's counters by port, of each port that has a profile, or a route and refused packets.

        Raises fy.P4ClientError, SessionError.
        """
        if self._session is None:
            return {}
        if self._own is not None:
            return await self._own.counters(self._session)
        ports = sorted({port for port, _ in self._queues})
        routed = {route.port for route in self._switch_config.routes}
        return await read_counters(self._session, self._port_counters, ports, routed)
