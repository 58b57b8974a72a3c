# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""From a packet-in to an ISQ. It needs no connection, so the simulator calls it too."""

from dataclasses import dataclass
from typing import Literal, Protocol

from quench.client.packet_in import Copy, Reason
from quench.isq import Ineligible, Limiter, NotEligibleError, Origin

_IPV4_SOURCE = slice(14 + 12, 14 + 16)
_IPV6_SOURCE = slice(14 + 8, 14 + 24)
_IS_IPV6 = b"\x86\xdd"


class Observer(Protocol):
    """The counters of answered and unanswered copies."""

    def sent(self, *, marked: bool) -> None:
        """An ISQ is sent."""

    def limited(self, limit: Literal["source", "total"]) -> None:
        """A limit forbade an ISQ."""

    def refused(self, reason: Ineligible) -> None:
        """The packet may not be answered."""


@dataclass(slots=True)
class Quencher:
    """Answers the copies of one switch."""

    origin: Origin
    limiter: Limiter
    observer: Observer

    def answer(self, copy: Copy, now_s: float) -> bytes | None:
        """The ISQ frame to send about a copy, or None when none may be sent or it is only a report."""
        if copy.reason is Reason.QUEUE_REPORT:
            return None
        try:
            frame = self.origin.source_quench(
                copy.frame, marked=copy.marked, level=copy.isq_level, advice=copy.isq_advice
            )
        except NotEligibleError as error:
            self.observer.refused(error.reason)
            return None
        source = copy.frame[_IPV6_SOURCE if copy.frame[12:14] == _IS_IPV6 else _IPV4_SOURCE]
        limit = self.limiter.refuses(copy.ingress_port, source, now_s)
        if limit is not None:
            self.observer.limited(limit)
            return None
        self.observer.sent(marked=copy.marked)
        return frame
