# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""From a packet-in to an ISQ. It needs no connection, so the simulator calls it too."""

from dataclasses import dataclass
from ipaddress import IPv4Address
from typing import Literal, Protocol

from quench.client.packet_in import Copy, Reason
from quench.isq import Ineligible, Limiter, NotEligibleError, source_quench

_IPV4_SOURCE = slice(14 + 12, 14 + 16)


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

    router: IPv4Address
    limiter: Limiter
    observer: Observer

    def answer(self, copy: Copy, now_s: float) -> bytes | None:
        """The ISQ frame to send about a copy, or None when none may be sent or it is only a report."""
        if copy.reason is Reason.QUEUE_REPORT:
            return None
        try:
            frame = source_quench(copy.frame, marked=copy.marked, router=self.router, level=copy.isq_level)
        except NotEligibleError as error:
            self.observer.refused(error.reason)
            return None
        limit = self.limiter.refuses(copy.ingress_port, copy.frame[_IPV4_SOURCE], now_s)
        if limit is not None:
            self.observer.limited(limit)
            return None
        self.observer.sent(marked=copy.marked)
        return frame
