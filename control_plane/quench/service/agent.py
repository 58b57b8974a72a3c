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
from quench.config.model import Config, PortConfig, SwitchConfig
from quench.isq import Limiter
from quench.profiles import ProfileSettings, compile_profile
from quench.service.metrics import IsqObserver, Metrics
from quench.switch import entries
from quench.switch.packet_in import Copy, Reason, decode
from quench.switch.quencher import Quencher
from quench.switch.reading import read
from quench.switch.writer import SwitchWriter

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
        self._config = config
        self._switch_config = switch
        self._ports: dict[int, PortConfig] = dict(switch.ports)
        self._metrics = metrics
        self._writer: SwitchWriter | None = None
        limits = config.isq
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
            await writer.program(self._config, self._switch_config.model_copy(update={"ports": self._ports}))
        except fy.P4ClientError as error:
            LOGGER.error("%s: cannot be programmed: %s", self.name, error)
            return
        self._writer = writer
        self._metrics.connected.labels(self.name).set(1)
        self._metrics.connections.labels(self.name).inc()
        LOGGER.info(
            "%s: programmed: %d routes, %d profiles", self.name, len(self._switch_config.routes), len(self._ports)
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
            if self._config.isq.mode == "off":
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
        """Change a port's profile under traffic; the id it got. Raises RequestError."""
        if self._writer is None:
            raise RequestError(f"switch {self.name!r} is not connected: start it, or look at the controller's log")
        known = self._ports.get(port)
        if rate_bps is None:
            if known is None:
                raise RequestError(f"port {port} of {self.name!r} has no known rate: give --rate")
            rate_bps = known.rate
        if queue is None:
            queue = known.queue if known is not None else 0
        try:
            rows = compile_profile(settings, rate_bps)
        except ValueError as error:
            raise RequestError(str(error)) from error
        profile_id = await self._writer.set_profile(port, queue, rows)
        self._ports[port] = PortConfig(rate=rate_bps, profile=settings, queue=queue)
        return profile_id

    def thresholds(self) -> list[dict[str, Any]]:
        """What each port's profile is, for people."""
        return [
            {
                "switch": self.name,
                "port": number,
                "queue": port.queue,
                "rate_bps": port.rate,
                "connected": self.ready,
                "settings": self._config.settings_of(port).model_dump(mode="json"),
            }
            for number, port in sorted(self._ports.items())
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
            result["ports"] = await self._port_counters()
        return result

    def _latest(self) -> dict[tuple[int, int], QueueReport]:
        latest: dict[tuple[int, int], QueueReport] = {}
        for report in reversed(self.reports):
            latest.setdefault((report.port, report.queue), report)
            if len(latest) >= len(self._ports):
                break
        return latest

    async def _port_counters(self) -> dict[int, dict[str, dict[str, int]]]:
        wanted = [
            fy.P4CounterEntry(counter, index=port) for port in sorted(self._ports) for counter in entries.PORT_COUNTERS
        ]
        ports: dict[int, dict[str, dict[str, int]]] = {}
        async for entry in read(self.switch, wanted):
            assert entry.index is not None
            counts = {"packets": entry.packet_count, "bytes": entry.byte_count}
            ports.setdefault(entry.index, {})[entry.counter_id] = counts
        return ports
