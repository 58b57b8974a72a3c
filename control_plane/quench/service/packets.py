# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""One switch's packet-ins: counted, remembered where they report a queue, answered while they are young enough."""

import asyncio
import logging
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count, islice
from math import inf

import finsy as fy
from finsy.proto import p4r

from quench.client.backlog import Backlog
from quench.client.clock import SwitchClock
from quench.client.packet_in import Copy, Reason, decode_message
from quench.client.quencher import Quencher
from quench.client.session import Session
from quench.service.metrics import Metrics

LOGGER = logging.getLogger(__name__)

REPORTS_KEPT = 100_000
"""Queue reports per switch that are kept for ``watch`` and for plots."""
MOST_BYTES = 65535 + 4096
"""Largest packet-in: a packet, and the fields of the program about it."""
MOST_FIELDS = 64
"""Most fields of a packet-in: an empty one takes 2 bytes in the message and a hundred here."""
_BREATH = 64
"""Packet-ins in a row, after which the event loop serves the connection and the socket."""


@dataclass(frozen=True, slots=True)
class QueueReport:
    """A queue at a moment, by the switch's clock, which starts anew with the switch."""

    number: int
    """The number in the order of arrival, from 1."""
    time_us: int
    port: int
    queue: int
    depth_pkts: int
    average_pkts: float


@dataclass(frozen=True, slots=True)
class Seen:
    """A queue at a moment, by our clock (time.monotonic)."""

    time_s: float
    depth_pkts: int
    average_pkts: float


class PacketIns:
    """The packet-ins of one switch, across its connections."""

    def __init__(
        self,
        name: str,
        quencher: Quencher,
        metrics: Metrics,
        max_age_s: float | None,
        in_packets: Callable[[Copy], Copy],
    ) -> None:
        """``in_packets`` gives a copy the units of all programs: packets of mean size, and microseconds."""
        self.reports: deque[QueueReport] = deque(maxlen=REPORTS_KEPT)
        self._name = name
        self._quencher = quencher
        self._metrics = metrics
        self._in_packets = in_packets
        self._max_age_s = inf if max_age_s is None else max_age_s
        self._backlog: Backlog[p4r.PacketIn] = Backlog()
        self.isqs_by_port: Counter[int] = Counter()
        """Source quenches sent about the packets of each egress port."""
        self._newest: dict[tuple[int, int], QueueReport] = {}
        self._seen: dict[tuple[int, int], Seen] = {}
        self._numbers = count(1)

    def put(self, packet: p4r.PacketIn) -> None:
        """Queue a packet-in from the stream. Never waits: beyond the limit the oldest are dropped and counted."""
        if len(packet.metadata) > MOST_FIELDS or packet.ByteSize() > MOST_BYTES:
            self._metrics.packet_ins_bad.labels(self._name).inc()
            return
        self._metrics.packet_ins_lost.labels(self._name).inc(self._backlog.put(packet))

    async def answer(self, session: Session, wanted: Callable[[], bool]) -> None:
        """Answer until cancelled, while ISQs are ``wanted``. Raises fy.P4ClientError, SessionError.

        Packet-ins that wait when the connection ends are dropped: they are older than the next connection.
        """
        try:
            await self._answer(session, wanted)
        finally:
            self._metrics.packet_ins_lost.labels(self._name).inc(len(self._backlog))
            self._backlog = Backlog()

    async def _answer(self, session: Session, wanted: Callable[[], bool]) -> None:
        clock = SwitchClock(self._max_age_s)
        turn = 0
        while True:
            packet = await self._backlog.get()
            turn += 1
            if turn % _BREATH == 0:
                await asyncio.sleep(0)
            try:
                copy = self._in_packets(decode_message(packet, session.p4info))
            except ValueError as error:
                self._metrics.packet_ins_bad.labels(self._name).inc()
                LOGGER.debug("%s: %s", self._name, error)
                continue
            now_s = time.monotonic()
            age_s = clock.age_s(copy.time_us, now_s)
            self._metrics.saw(self._name, copy, age_s)
            self._remember(copy, now_s)
            if not wanted() or copy.reason is Reason.QUEUE_REPORT:
                continue
            if age_s > self._max_age_s:
                self._metrics.packet_ins_stale.labels(self._name).inc()
                continue
            frame = self._quencher.answer(copy, now_s)
            if frame is not None:
                await session.send(fy.P4PacketOut(frame, egress_port=0, submit_to_ingress=1, pad0=0))
                self.isqs_by_port[copy.egress_port] += 1

    def newest_reports(self) -> list[QueueReport]:
        """The newest report of each queue, oldest first."""
        return list(self._newest.values())

    def seen(self, port: int, queue: int) -> Seen | None:
        """A queue as the newest packet-in about it says, a report or the copy of a packet."""
        return self._seen.get((port, queue))

    def reports_after(self, number: int, most: int) -> list[QueueReport]:
        """The reports behind one, oldest first; all for a number above theirs, which is of an earlier controller."""
        if not self.reports or number > self.reports[-1].number:
            number = 0
        first = self.reports[0].number if self.reports else 1
        skipped = max(0, number + 1 - first)
        return list(islice(self.reports, skipped, skipped + most))

    def _remember(self, copy: Copy, now_s: float) -> None:
        self._seen[copy.egress_port, copy.queue] = Seen(now_s, copy.depth_pkts, copy.average_pkts)
        if copy.reason is Reason.QUEUE_REPORT:
            report = QueueReport(
                next(self._numbers), copy.time_us, copy.egress_port, copy.queue, copy.depth_pkts, copy.average_pkts
            )
            self.reports.append(report)
            self._newest.pop((report.port, report.queue), None)
            self._newest[report.port, report.queue] = report
