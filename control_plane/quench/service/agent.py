# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""One switch's agent: connects, programs, answers, and starts again when the switch comes back."""

import asyncio
import logging
import time
from dataclasses import asdict
from typing import Any

import finsy as fy
from finsy.proto import p4i, p4r
from google.protobuf import text_format
from quench_common.files import PROGRAM_BYTES, read_file
from quench_common.text import one_line

from quench.config.model import Config, IsqMode, MeterConfig, Queue, SwitchConfig
from quench.errors import ConfigError
from quench.isq import Limiter
from quench.isq.limiter import RateLimit, TokenBucket
from quench.profiles import ProfileRows, ProfileSettings, compile_profile
from quench.service.metrics import IsqObserver, Metrics
from quench.service.packets import PacketIns
from quench.switch import entries
from quench.switch.election import priority_of
from quench.switch.program import ForeignProgramError, check_program
from quench.switch.quencher import Quencher
from quench.switch.session import Session, SessionError, Target
from quench.switch.tls import credentials
from quench.switch.writer import QueueKey, SwitchWriter

LOGGER = logging.getLogger(__name__)

RETRY_S = 0.1
"""Pause after a connection ended; it doubles each time that the next one fails, up to ``MAX_RETRY_S``."""
MAX_RETRY_S = 0.5
LOG_LIMIT = RateLimit(rate_per_s=0.2, burst=20)
"""Limit of log lines about the state of one switch: they quote the switch, which must not fill the disk."""


class RequestError(Exception):
    """A request that can't be carried out; nothing was changed."""


class SwitchAgent:
    """Runs for as long as the controller does."""

    def __init__(self, config: Config, switch: SwitchConfig, metrics: Metrics) -> None:
        self.name = switch.name
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
        self.packet_ins = PacketIns(switch.name, quencher, metrics, limits.max_age)
        self._schema = self._load_pipeline(switch)
        self._target = Target(switch.address, switch.device_id, credentials(switch.tls))
        self._priority = config.election_id
        metrics.connected.labels(self.name).set(0)
        metrics.primary.labels(self.name).set(0)

    def _load_pipeline(self, switch: SwitchConfig) -> fy.P4Schema:
        pipeline = switch.pipeline
        try:
            info, blob = (read_file(path, PROGRAM_BYTES) for path in (pipeline.p4info, pipeline.json_))
            schema = fy.P4Schema(text_format.Parse(info.decode(), p4i.P4Info()), blob)
            check_program(schema)
            return schema
        except FileNotFoundError as error:
            place, needed = error.filename, "compile it with 'make p4'"
            raise ConfigError(f"{place}: pipeline of switch {self.name!r} is missing: {needed}") from error
        except OSError as error:
            raise ConfigError(f"{error.filename}: pipeline of switch {self.name!r}: {error.strerror}") from error
        except ForeignProgramError as error:
            raise ConfigError(f"{pipeline.p4info}: pipeline of switch {self.name!r}: {error}") from error
        except (ValueError, text_format.ParseError) as error:
            raise ConfigError(f"{pipeline.p4info}: is not a P4Info file: {error}") from error

    @property
    def ready(self) -> bool:
        """Whether the switch is connected and programmed."""
        return self._writer is not None

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
                    LOGGER.exception("%s: how it came about", self.name)
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
        writer = SwitchWriter(session)
        await session.set_pipeline()
        rows = {key: self._compiled(queue) for key, queue in self._queues.items()}
        await writer.program(self._switch_config, rows, self._isq_limit)
        self._session, self._writer = session, writer
        self._metrics.connected.labels(self.name).set(1)
        self._metrics.connections.labels(self.name).inc()
        routes, profiles = len(self._switch_config.routes), len(self._queues)
        self._say(logging.INFO, f"programmed: {routes} routes, {profiles} profiles")

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
        LOGGER.log(level, "%s: %s%s", self.name, state, left_out)
        return True

    async def set_profile(self, port: int, settings: ProfileSettings, rate_bps: int | None, queue: int | None) -> int:
        """Change a queue's profile under traffic; the id it got. Raises RequestError."""
        writer = self._connected()
        known = sorted(key for key in self._queues if key[0] == port)
        if queue is None:
            if len(known) > 1:
                queues = ", ".join(str(number) for _, number in known)
                raise RequestError(f"port {port} of {self.name!r} has profiles on queues {queues}: give --queue")
            queue = known[0][1] if known else 0
        if rate_bps is None:
            if not known:
                raise RequestError(f"port {port} of {self.name!r} has no known rate: give --rate")
            rate_bps = self._queues[known[0]].rate_bps
        changed = Queue(settings, rate_bps)
        try:
            rows = self._compiled(changed)
        except ValueError as error:
            raise RequestError(str(error)) from error
        profile_id = await writer.set_profile(port, queue, rows)
        is_new = (port, queue) not in self._queues
        self._queues[port, queue] = changed
        if is_new:
            await writer.set_isq_limit(self._isq_limit)
        return profile_id

    def check_connected(self) -> None:
        """Raise RequestError if nothing can be changed now."""
        self._connected()

    async def set_isq(self, mode: IsqMode | None, limit: MeterConfig | None, *, change_limit: bool) -> None:
        """Change the sender of ISQs under traffic, and the limit of the switch's own. Raises RequestError."""
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
        LOGGER.info("%s: source quenches: %s", self.name, mode)

    def isq(self) -> dict[str, Any]:
        """The sender of ISQs, and the limit of those that the switch sends."""
        limit = self._isq_limit.model_dump(mode="json") if self._isq_limit else None
        return {"switch": self.name, "mode": self._isq_mode, "per_queue": limit, "connected": self.ready}

    def _compiled(self, queue: Queue, *, isq_in_dataplane: bool | None = None) -> ProfileRows:
        if isq_in_dataplane is None:
            isq_in_dataplane = self._isq_mode == "dataplane"
        return compile_profile(queue.settings, queue.rate_bps, isq_in_dataplane=isq_in_dataplane)

    def _connected(self) -> SwitchWriter:
        if self._writer is None:
            raise RequestError(f"switch {self.name!r} is not connected: start it, or look at the controller's log")
        return self._writer

    def thresholds(self) -> list[dict[str, Any]]:
        """The profile of each queue, for people."""
        return [
            {
                "switch": self.name,
                "port": port,
                "queue": number,
                "rate_bps": queue.rate_bps,
                "connected": self.ready,
                "settings": queue.settings.model_dump(mode="json"),
            }
            for (port, number), queue in sorted(self._queues.items())
        ]

    async def stats(self) -> dict[str, Any]:
        """Counters of the switch and of what the controller did with its packets."""
        labels = {"packet_ins": "reason", "isqs_sent": "kind", "isqs_suppressed": "limit", "isqs_ineligible": "reason"}
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

    async def port_counters(self) -> dict[int, dict[str, dict[str, int]]]:
        """The switch's counters of each port that has a profile. Raises fy.P4ClientError, SessionError."""
        ports = sorted({port for port, _ in self._queues})
        wanted = [fy.P4CounterEntry(counter, index=port) for port in ports for counter in entries.PORT_COUNTERS]
        counters: dict[int, dict[str, dict[str, int]]] = {}
        if self._session is None:
            return {}
        async for entry in self._session.read(wanted):
            if entry.index is None:
                raise SessionError(f"the switch has an entry of {entry.counter_id} without index")
            counts = {"packets": entry.packet_count, "bytes": entry.byte_count}
            counters.setdefault(entry.index, {})[entry.counter_id] = counts
        return counters
