# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""One switch's agent: connects, programs, answers, and starts again when the switch comes back."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from finsy.proto import p4r
from quench_switch.outside.text import counted, one_line

from quench.client.counters import Counts, port_counters, read_counters
from quench.client.election import priority_of
from quench.client.pipelines import V1MODEL
from quench.client.quencher import Quencher
from quench.client.session import Session, SessionError, Target
from quench.client.tls import credentials
from quench.config.model import Config, SwitchConfig
from quench.service.managed_queues import ManagedQueues
from quench.service.metrics import IsqObserver, Metrics
from quench.service.packets import PacketIns
from quench.service.pipeline_files import read_pipeline
from quench.service.state_log import StateLog

if TYPE_CHECKING:
    from quench.service.own_program import OwnProgram

LOGGER = logging.getLogger(__name__)

RETRY_S = 0.1
"""Pause after a connection ended; it doubles each time that the next one fails, up to ``MAX_RETRY_S``."""
MAX_RETRY_S = 0.5


class SwitchAgent:
    """Runs for as long as the controller does."""

    def __init__(
        self, config: Config, switch: SwitchConfig, metrics: Metrics, changed: Callable[[], None] = lambda: None
    ) -> None:
        """``changed`` is called after each change of profiles, rates, the sender of ISQs or the connection."""
        self.name = switch.name
        self._changed = changed
        self._switch_config = switch
        self._metrics = metrics
        self._session: Session | None = None
        self._log = StateLog(LOGGER, switch.name)
        self._own = _own_program(switch)
        if self._own is None:
            self._schema, pipeline = read_pipeline(switch)
            self.queues = ManagedQueues(switch, pipeline, config.queues_of(switch), config.isq, self._tell)
        else:
            self._schema = self._own.schema
            refusal = (
                f"switch {self.name!r} runs {self._own.title}, which has no profiles and no source quenches: change "
                "its settings in the controller's configuration"
            )
            self.queues = ManagedQueues(switch, V1MODEL, {}, config.isq, self._tell, refusal)
        isq = config.isq
        quencher = Quencher(
            isq.origin(switch.router_address, switch.router_ipv6_address),
            isq.limiter(),
            IsqObserver(metrics, switch.name),
        )
        self.packet_ins = PacketIns(switch.name, quencher, metrics, isq.max_age, self.queues.in_packets)
        self._port_counters = port_counters(self._schema)
        self._target = Target(switch.address, switch.device_id, credentials(switch.tls))
        self._priority = config.election_id
        metrics.connected.labels(self.name).set(0)
        metrics.primary.labels(self.name).set(0)

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
                self._log.say(logging.WARNING, f"{self._target.address}: {error}: trying again")
            except Exception as error:
                # A fault of ours that one switch brought out must not end the work for the other switches.
                if self._log.say(logging.ERROR, one_line(f"internal error {error!r}: connecting anew")):
                    LOGGER.exception("%s: how it came about", self.name, extra={"about": self.name})
            pause_s = RETRY_S if session.lasted_s() > MAX_RETRY_S else min(2 * pause_s, MAX_RETRY_S)
            await asyncio.sleep(pause_s)

    async def primary(self, session: Session) -> None:
        """Program the switch, and answer its packets until that ends."""
        self._metrics.primary.labels(self.name).set(1)
        try:
            async with asyncio.TaskGroup() as tasks:
                # A copy is either a packet-in or the switch's own ISQ. While the mode changes there are some of each.
                tasks.create_task(self.packet_ins.answer(session, lambda: self.queues.isq_mode != "off"))
                await self._program(session)
        finally:
            self._session = None
            self.queues.disconnect()
            self._tell()
            self._metrics.primary.labels(self.name).set(0)
            self._metrics.connected.labels(self.name).set(0)

    def backup(self, highest: int) -> None:
        """Log once that another controller is primary."""
        self._log.say(logging.INFO, f"standing by: the controller with election id {priority_of(highest)} is primary")

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
            what = f"{self._own.title}, {len(self._own.ports)} managed queues"
        else:
            await self.queues.program(session)
            what = counted(len(self.queues), "profile")
        self._session = session
        self._metrics.connected.labels(self.name).set(1)
        self._metrics.connections.labels(self.name).inc()
        self._log.say(logging.INFO, f"programmed: {counted(len(self._switch_config.routes), 'route')}, {what}")
        self._tell()

    def _tell(self) -> None:
        """Profiles, rates, the sender of ISQs or the connection have changed."""
        self._metrics.show_maxth(self.name, self.queues.maxth_pkts())
        self._changed()

    def isq(self) -> dict[str, Any]:
        """The sender of ISQs, and the limit of those that the switch sends."""
        limit = self.queues.isq_limit.model_dump(mode="json") if self.queues.isq_limit else None
        return {"switch": self.name, "mode": self.queues.isq_mode, "per_queue": limit, "connected": self.ready}

    def queues_without_profile(self) -> list[tuple[int, int, int]]:
        """The managed queues of a program that is not Quench's: port, queue, and the port's rate in bits/s."""
        return [] if self._own is None else self._own.queues

    @property
    def no_depth(self) -> str | None:
        """The reason that no packet-in says how deep a queue is, in a sentence; None: those of Quench's programs do."""
        return None if self._own is None else f"{self._own.title} does not report the depth of its queues."

    @property
    def sends_isqs(self) -> bool:
        """Whether source quenches may be sent about this switch's queues."""
        return self._own is None

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
        routed = self._switch_config.route_ports
        return await read_counters(self._session, self._port_counters, self.queues.ports, routed)


def _own_program(switch: SwitchConfig) -> "OwnProgram | None":
    """The program that is not Quench's, where the switch has one. Raises ConfigError."""
    if switch.pipeline.program is None:
        return None
    # Here, because few switches have another program, and its models take a while to build.
    from quench.service.own_program import OwnProgram

    return OwnProgram(switch.pipeline.program, switch)
