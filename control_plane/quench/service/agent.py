# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""One switch's agent: connects, programs, answers, and starts again when the switch comes back."""

import logging
import time
from collections import deque
from dataclasses import asdict, dataclass
from typing import Any

import finsy as fy
from google.protobuf import text_format

from quench.config.file import ConfigError
from quench.config.model import Config, IsqMode, MeterConfig, Queue, SwitchConfig
from quench.isq import Limiter
from quench.profiles import ProfileRows, ProfileSettings, compile_profile
from quench.service.metrics import IsqObserver, Metrics
from quench.switch import entries
from quench.switch.packet_in import Copy, Reason, decode
from quench.switch.quencher import Quencher
from quench.switch.reading import read
from quench.switch.writer import QueueKey, SwitchWriter

LOGGER = logging.getLogger(__name__)

PACKET_QUEUE = 100_000
"""Packet-ins that may wait; finsy drops what comes beyond."""
REPORTS_KEPT = 100_000
"""Queue reports per switch that are kept for ``watch`` and for plots."""


class RequestError(Exception):
    """A request that can't be carried out; nothing was changed."""


@dataclass(frozen=True, slots=True)
class QueueReport:
    """A queue at a moment, by the switch's clock."""

    time_us: int
    port: int
    queue: int
    depth_pkts: int
    average_pkts: float


class SwitchAgent:
    """Runs for as long as the controller does."""

    def __init__(self, config: Config, switch: SwitchConfig, metrics: Metrics) -> None:
        self.name = switch.name
        self.reports: deque[QueueReport] = deque(maxlen=REPORTS_KEPT)
        self._switch_config = switch
        self._queues: dict[QueueKey, Queue] = config.queues_of(switch)
        self._metrics = metrics
        self._writer: SwitchWriter | None = None
        limits = config.isq
        self._isq_mode: IsqMode = limits.mode
        self._isq_limit: MeterConfig | None = limits.per_queue
        self._quencher = Quencher(
            switch.router_address,
            Limiter(
                limits.per_source.to_limit() if limits.per_source else None,
                limits.total.to_limit() if limits.total else None,
            ),
            IsqObserver(metrics, switch.name),
        )
        self.switch = self._make_switch(switch)
        self.switch.ee.add_listener(fy.SwitchEvent.CHANNEL_DOWN, self._down)
        metrics.connected.labels(self.name).set(0)

    def _make_switch(self, switch: SwitchConfig) -> fy.Switch:
        pipeline = switch.pipeline
        options = fy.SwitchOptions(
            p4info=pipeline.p4info, p4blob=pipeline.json_, device_id=switch.device_id, ready_handler=self._ready
        )
        for path in (pipeline.p4info, pipeline.json_):
            if not path.is_file():
                raise ConfigError(f"{path}: pipeline of switch {self.name!r} is missing: compile it with 'make p4'")
        try:
            return fy.Switch(switch.name, switch.address, options)
        except (ValueError, text_format.ParseError) as error:
            raise ConfigError(f"{pipeline.p4info}: is not a P4Info file: {error}") from error

    @property
    def ready(self) -> bool:
        """Whether the switch is connected and programmed."""
        return self._writer is not None

    async def run(self) -> None:
        """Keep the switch programmed until cancelled."""
        await self.switch.run()

    async def _ready(self, switch: fy.Switch) -> None:
        if not switch.is_primary:
            LOGGER.warning("%s: another controller is primary (election id %d)", self.name, switch.primary_id)
            return
        packets = switch.read_packets(queue_size=PACKET_QUEUE)
        switch.create_task(self._answer_packets(switch, packets), name="packet-ins")
        writer = SwitchWriter(switch)
        try:
            rows = {key: self._compiled(queue) for key, queue in self._queues.items()}
            await writer.program(self._switch_config, rows, self._isq_limit)
        except fy.P4ClientError as error:
            LOGGER.error("%s: cannot be programmed: %s", self.name, error)
            return
        self._writer = writer
        self._metrics.connected.labels(self.name).set(1)
        self._metrics.connections.labels(self.name).inc()
        LOGGER.info(
            "%s: programmed: %d routes, %d profiles", self.name, len(self._switch_config.routes), len(self._queues)
        )

    def _down(self, *_: Any) -> None:
        self._writer = None
        self._metrics.connected.labels(self.name).set(0)

    async def _answer_packets(self, switch: fy.Switch, packets: Any) -> None:
        async for packet in packets:
            try:
                copy = decode(packet)
            except ValueError as error:
                self._metrics.packet_ins_bad.labels(self.name).inc()
                LOGGER.debug("%s: %s", self.name, error)
                continue
            self._metrics.saw(self.name, copy)
            self._remember(copy)
            # A copy is either a packet-in or the switch's own ISQ. While the mode changes there are some of each.
            if self._isq_mode == "off":
                continue
            frame = self._quencher.answer(copy, time.monotonic())
            if frame is not None:
                await switch.write([fy.P4PacketOut(frame, egress_port=0, submit_to_ingress=1, pad0=0)])

    def _remember(self, copy: Copy) -> None:
        if copy.reason is Reason.QUEUE_REPORT:
            self.reports.append(
                QueueReport(copy.time_us, copy.egress_port, copy.queue, copy.depth_pkts, copy.average_pkts)
            )

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
        """Change under traffic who sends ISQs, and how many the switch may send. Raises RequestError."""
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
        """Who sends ISQs, and the limit of those that the switch sends."""
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
        """What each queue's profile is, for people."""
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
            "queues": [asdict(report) for report in self._latest().values()],
        }
        for name, label in labels.items():
            result[name] = self._metrics.values(getattr(self._metrics, name), self.name, [label])
        if self.ready:
            result["ports"] = await self.port_counters()
        return result

    def _latest(self) -> dict[tuple[int, int], QueueReport]:
        latest: dict[tuple[int, int], QueueReport] = {}
        for report in reversed(self.reports):
            latest.setdefault((report.port, report.queue), report)
            if len(latest) >= len(self._queues):
                break
        return latest

    async def port_counters(self) -> dict[int, dict[str, dict[str, int]]]:
        """What the switch counted at each port that has a profile. Raises fy.P4ClientError."""
        ports = sorted({port for port, _ in self._queues})
        wanted = [fy.P4CounterEntry(counter, index=port) for port in ports for counter in entries.PORT_COUNTERS]
        counters: dict[int, dict[str, dict[str, int]]] = {}
        async for entry in read(self.switch, wanted):
            assert entry.index is not None
            counts = {"packets": entry.packet_count, "bytes": entry.byte_count}
            counters.setdefault(entry.index, {})[entry.counter_id] = counts
        return counters
