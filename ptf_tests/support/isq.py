# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The base of the tests of source quenches: the controller that answers copies, and the switch that has an address."""

from ipaddress import IPv4Address, IPv6Address

from quench.client import entries
from quench.client.quencher import Quencher
from quench.config.isq import IsqConfig
from quench.isq import Ineligible
from scapy.packet import Packet

from support.base import SOURCE_PORT, QuenchTest

ROUTER, ROUTER6 = "10.0.0.254", "2001:db8::254"


class Observer:
    """The reasons of a controller that refuses; no limit holds it back."""

    def __init__(self) -> None:
        self.reasons: list[Ineligible] = []

    def sent(self, *, marked: bool) -> None:
        """A source quench goes out."""

    def limited(self, limit: str) -> None:
        """Fails: there is no limit."""
        raise AssertionError(f"limited by the limit of {limit}")

    def refused(self, reason: Ineligible) -> None:
        """The packet may not be answered."""
        self.reasons.append(reason)


class IsqTest(QuenchTest):
    """Has a controller without limits, which answers the copies of packets when a test says so."""

    def setUp(self) -> None:
        super().setUp()
        self.observer = Observer()
        self.control(IsqConfig())

    def control(self, isq: IsqConfig) -> None:
        """The settings by which the controller answers from now on."""
        unlimited = isq.model_copy(update={"per_source": None, "total": None})
        origin = unlimited.origin(IPv4Address(ROUTER), IPv6Address(ROUTER6))
        self.quencher = Quencher(origin, unlimited.limiter(), self.observer)

    def set_address(self) -> None:
        """The switch's own source quenches come from this address from now on."""
        self.switch.write([~entries.isq_router(IPv4Address(ROUTER), IPv6Address(ROUTER6))])

    def by_controller(self, packet: Packet) -> bytes:
        """Send a packet, answer its copy as the controller does, and return the source quench at the source."""
        self.send(packet)
        (copy,) = self.copies(1, quiet_s=0)
        frame = self.quencher.answer(copy, 0.0)
        assert frame is not None, f"refused: {self.observer.reasons}"
        self.switch.packet_out(frame, egress_port=0, submit_to_ingress=1, pad0=0)
        (isq,) = self.collect(1, port=SOURCE_PORT)
        return isq

    def by_switch(self, packet: Packet) -> bytes:
        """Send a packet, and return the source quench that the switch makes about it at the source."""
        self.send(packet)
        (isq,) = self.collect(1, port=SOURCE_PORT)
        return isq
