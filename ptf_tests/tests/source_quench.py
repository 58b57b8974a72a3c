# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""ISQs by the controller: the switch's copy, the frame that the controller makes of it, the packet at the source."""

from ipaddress import IPv4Address, ip_network

from quench.client import entries
from quench.config.model import RouteConfig
from quench.isq import Ineligible, NotEligibleError, source_quench
from scapy.layers.inet import ICMP, IP, TCP, UDP, IPOption_RR
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw
from support.base import (
    CE,
    DESTINATION,
    ECT0,
    HOST_MAC,
    NOT_ECT,
    QUEUE_PORT,
    QUIET_S,
    ROUTER_MAC,
    SOURCE,
    SOURCE_PORT,
    ecn_of,
    real_time,
)
from support.isq import ROUTER, IsqTest

ALWAYS_MARK = {"scheme": "curve", "points": [{"depth": 0, "p1": 1.0, "isq": True}]}
ALWAYS_DROP = {"scheme": "curve", "points": [{"depth": 0, "p1": 1.0, "isq": True, "drop": True}]}


class _SourceQuench(IsqTest):
    def quenches(self, at_least: int = 0) -> list[bytes]:
        """Answer the copies of packets as the controller does, and return the packets at the source."""
        for copy in self.copies(at_least):
            frame = self.quencher.answer(copy, 0.0)
            if frame is not None:
                self.switch.packet_out(frame, egress_port=0, submit_to_ingress=1, pad0=0)
        return self.collect(at_least, port=SOURCE_PORT) + self.collect(1, SOURCE_PORT, QUIET_S)


@real_time
class IsqBytes(_SourceQuench):
    """The bytes of an ISQ, against those that Scapy builds."""

    def runTest(self) -> None:
        for mark_at in ("head", "tail"):
            for settings, marked in ((ALWAYS_MARK, True), (ALWAYS_DROP, False)):
                for options in ([], [IPOption_RR(routers=["0.0.0.0"])]):
                    with self.subTest(mark_at=mark_at, marked=marked, options=len(options)):
                        self.set_profile(**settings, mark_at=mark_at)
                        sent = self.packet(ECT0, 77, options=options)
                        self.send(sent)
                        (isq,) = self.quenches(at_least=1)
                        self.check(isq, Ether(bytes(sent)), marked, head=mark_at == "head")
                        self.switch.flush()

    def check(self, isq: bytes, sent: Packet, marked: bool, head: bool) -> None:
        quoted = sent[IP].copy()
        if marked and head:
            # A copy made in egress is of the packet as it leaves.
            quoted.ttl, quoted.tos = quoted.ttl - 1, quoted.tos | CE
            del quoted.chksum
        quoted_bytes = bytes(quoted)[: quoted.ihl * 4 + 8]
        expected = (
            Ether(src=ROUTER_MAC[1], dst=HOST_MAC[1])
            / IP(src=ROUTER, dst=SOURCE, tos=0, ttl=254, id=0, flags="DF")
            / ICMP(type=4, code=0)
            / Raw(quoted_bytes)
        )
        # Scapy has no name for the octet that distinguishes marks from drops.
        raw = bytearray(bytes(expected))
        raw[14 + 20 + 4] = 0x80 if marked else 0
        icmp = ICMP(bytes(raw[34:]))
        del icmp.chksum
        self.assertEqual(isq.hex(), bytes(raw[:34]).hex() + bytes(icmp).hex())
        if quoted.ihl == 5:
            self.assertEqual(len(isq), 14 + 56)


@real_time
class IsqEligibility(_SourceQuench):
    """Packets that RFC 1122 and RFC 1812 exempt cause no ISQ. They are marked all the same."""

    def runTest(self) -> None:
        route = RouteConfig(
            prefix=ip_network("224.0.0.0/4"), port=2, source_mac=ROUTER_MAC[2], destination_mac=HOST_MAC[2]
        )
        self.switch.write([+entries.route(route)])
        self.set_profile(**ALWAYS_MARK)
        link = Ether(src=HOST_MAC[1], dst=ROUTER_MAC[1])
        exempt = [
            *(
                (self.ip(dst=DESTINATION) / ICMP(type=kind) / Raw(bytes(28)), Ineligible.ICMP_ERROR)
                for kind in (3, 4, 5, 11, 12)
            ),
            (self.ip(dst=DESTINATION, frag=3) / Raw(bytes(40)), Ineligible.FRAGMENT),
            (self.ip(dst="224.1.2.3") / UDP() / Raw(bytes(20)), Ineligible.MULTICAST_DESTINATION),
            (self.ip(dst=DESTINATION, src="0.0.0.0") / UDP(), Ineligible.SOURCE_NOT_A_HOST),
            (self.ip(dst=DESTINATION, src="239.0.0.1") / UDP(), Ineligible.SOURCE_NOT_A_HOST),
        ]
        for packet, reason in exempt:
            with self.subTest(packet=packet.summary()):
                before = self.counter("port_isq_refused")
                self.send(link / packet)
                (came,) = self.collect(1, port=QUEUE_PORT)
                self.assertEqual(ecn_of(came), CE)
                self.assertEqual(self.counter("port_isq_refused") - before, 1)
                self.assertEqual(self.quenches(), [])
                self.assertEqual(self.observer.reasons, [], "the switch itself makes no copy")
                # If a switch copied it all the same, the controller would refuse.
                with self.assertRaises(NotEligibleError) as refusal:
                    source_quench(bytes(link / packet), marked=True, router=IPv4Address(ROUTER))
                self.assertIs(refusal.exception.reason, reason)
        for packet in (
            self.ip(dst=DESTINATION) / ICMP(type=8) / Raw(bytes(28)),
            self.ip(dst=DESTINATION, flags="MF") / TCP(),
        ):
            with self.subTest(packet=packet.summary()):
                self.send(link / packet)
                self.assertEqual(len(self.quenches(at_least=1)), 1)
                self.assertEqual(len(self.collect(1, port=QUEUE_PORT)), 1)

    def ip(self, **fields: object) -> IP:
        return IP(**{"src": SOURCE, "tos": ECT0, **fields})


@real_time
class NoIsqForNotEct(_SourceQuench):
    """A packet that is not ECT is dropped without an ISQ. A packet from the CPU causes none either."""

    def runTest(self) -> None:
        self.set_profile(**ALWAYS_DROP)
        self.assertEqual(self.outcome([self.packet(NOT_ECT)]), [])
        self.assertEqual(self.quenches(), [])
        before = self.dropped()
        self.switch.packet_out(bytes(self.packet(ECT0)), egress_port=0, submit_to_ingress=1, pad0=0)
        self.wait_until(lambda: self.dropped() - before == 1)
        self.assertEqual(self.copies(), [])
        for mark_at in ("head", "tail"):
            with self.subTest(mark_at=mark_at):
                self.set_profile(**ALWAYS_MARK, mark_at=mark_at)
                self.switch.packet_out(bytes(self.packet(ECT0)), egress_port=0, submit_to_ingress=1, pad0=0)
                self.assertEqual([ecn_of(frame) for frame in self.collect(1)], [CE])
                self.assertEqual(self.copies(), [])
