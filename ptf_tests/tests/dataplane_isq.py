# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The ISQ that the switch makes itself: byte for byte the controller's, metered, and only with an address."""

from math import ceil
from typing import Any

import finsy as fy
from scapy.layers.inet import ICMP, IP, UDP, IPOption_RR
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw
from support.base import (
    BURST,
    CE,
    DESTINATION,
    ECT0,
    HOST_MAC,
    QUEUE_PORT,
    ROUTER_MAC,
    SOURCE,
    SOURCE_PORT,
    ecn_of,
    real_time,
)
from support.isq import IsqTest
from support.targets import QUEUES

ALWAYS: dict[str, Any] = {"scheme": "curve"}


@real_time
class BothWaysEqual(IsqTest):
    """The ISQs of the controller and of the switch about one packet, marked or dropped, at head or tail."""

    def runTest(self) -> None:
        self.set_address()
        for mark_at in ("head", "tail"):
            for drop, advice, bits in ((False, "30%", 30), (True, "2ms", 0x8000 | 2000)):
                settings = {
                    **ALWAYS,
                    "points": [{"depth": 0, "p1": 1.0, "isq": True, "advice": advice, "drop": drop}],
                    "mark_at": mark_at,
                }
                self.set_profile(**settings)
                by_controller = {name: self.by_controller(packet) for name, packet in self.offending().items()}
                self.set_profile(**settings, isq_in_dataplane=True)
                for name, packet in self.offending().items():
                    with self.subTest(mark_at=mark_at, drop=drop, packet=name):
                        before = self.counter("port_isq_sent")
                        by_switch = self.by_switch(packet)
                        self.assertEqual(by_switch.hex(), by_controller[name].hex())
                        self.assertEqual(Ether(by_switch)[ICMP].type, 4)
                        self.assertEqual(int.from_bytes(by_switch[40:42], "big"), bits)
                        self.assertEqual(self.counter("port_isq_sent") - before, 1)
                self.assertEqual(self.copies(), [])
                self.nothing_leaves(SOURCE_PORT)
                self.switch.flush()

    def offending(self) -> dict[str, Packet]:
        return {
            "tcp": self.packet(ECT0, 77),
            "options": self.packet(ECT0, 77, options=[IPOption_RR(routers=["0.0.0.0"])]),
            "longest options": self.packet(ECT0, 77, options=[IPOption_RR(routers=["0.0.0.0"] * 9)]),
            "precedence": self.packet(ECT0, 77, tos=0b101110_00 | ECT0),
            "udp": _ip() / UDP(sport=5, dport=6) / Raw(bytes(range(100))),
            "echo": _ip() / ICMP(type=8, id=1, seq=2) / Raw(bytes(range(60))),
            "other protocol": _ip(proto=132) / Raw(bytes(range(99))),
            "eight bytes": _ip(proto=253) / Raw(b"12345678"),
        }


def _ip(**fields: Any) -> Packet:
    return Ether(src=HOST_MAC[1], dst=ROUTER_MAC[1]) / IP(src=SOURCE, dst=DESTINATION, tos=ECT0, id=4711, **fields)


class LevelsInTheQuench(IsqTest):
    """Multi-level BECN: the octet is the average's position between becnthresh and maxth, in both modes."""

    def runTest(self) -> None:
        self.set_address()
        self.fill(30, scheme="taildrop")
        for minth, maxth in ((10, 50), (30, 50), (29, 31), (5, 31), (10, 30), (10, 20)):
            expected = 127 if maxth <= 30 else min(127, 128 * (30 - minth) // (maxth - minth))
            for isq_in_dataplane in (False, True):
                with self.subTest(minth=minth, maxth=maxth, isq_in_dataplane=isq_in_dataplane):
                    # A maxp of 1 at average 30, or a drop of every packet above maxth, would hide the level 0.
                    self.set_profile(
                        scheme="becn",
                        wq=6e-8,
                        minth=minth,
                        maxth=maxth,
                        maxp=1.0,
                        gentle=False,
                        wait=False,
                        byte_mode=False,
                        isq_levels=True,
                        isq_in_dataplane=isq_in_dataplane,
                    )
                    levels = self.levels(isq_in_dataplane)
                    # With the average at minth it may be that no packet is selected.
                    self.assertTrue(levels or minth == 30, "there was no source quench")
                    # The average is frozen to within a hundredth of a packet of 30.
                    self.assertLessEqual({abs(level - expected) for level in levels}, {0, 1, 2})

    def levels(self, isq_in_dataplane: bool) -> set[int]:
        """The levels of all source quenches about enough packets for several to be selected."""
        counter = "port_isq_sent" if isq_in_dataplane else "port_cloned"
        before = self.counter(counter)
        self.outcome(self.frames(ECT0, BURST))
        count = self.counter(counter) - before
        if isq_in_dataplane:
            octets = [isq[38] & 0x7F for isq in self.collect(count, port=SOURCE_PORT)]
        else:
            octets = [copy.isq_level for copy in self.copies(count)]
        self.assertEqual(len(octets), count)
        self.switch.flush()
        return set(octets)


class MeteredIsqs(IsqTest):
    """A queue's meter passes a burst and no more. Each ISQ that it stops is counted."""

    def runTest(self) -> None:
        self.set_address()
        index = QUEUE_PORT * QUEUES
        rate = self.program.slowdown
        limit = fy.P4MeterConfig(cir=rate, cburst=3, pir=rate, pburst=3)
        self.switch.write([~fy.P4MeterEntry("isq_meter", index=index, config=limit)])
        self.set_profile(**ALWAYS, points=[{"depth": 0, "p1": 1.0, "isq": True}], isq_in_dataplane=True)
        start_s = self.switch.now_s()
        self.assertEqual(len(self.outcome(self.frames(ECT0, 20))), 20)
        self.wait_until(lambda: self.counter("port_isq_sent") + self.counter("port_isq_limited") == 20)
        elapsed_s = self.switch.now_s() - start_s
        sent = self.counter("port_isq_sent")
        self.assertEqual(len(self.collect(sent, port=SOURCE_PORT)), sent)
        self.nothing_leaves(SOURCE_PORT)
        self.assertTrue(3 <= sent <= 3 + ceil(elapsed_s), f"{sent} in {elapsed_s:.1f} s")


class NoAddressNoIsq(IsqTest):
    """Without an address of its own the switch sends no ISQ, and counts it."""

    def runTest(self) -> None:
        self.set_profile(**ALWAYS, points=[{"depth": 0, "p1": 1.0, "isq": True}], isq_in_dataplane=True)
        self.send(self.packet(ECT0))
        self.assertEqual(len(self.collect(1)), 1)
        self.nothing_leaves(SOURCE_PORT)
        self.assertEqual((self.counter("port_isq_sent"), self.counter("port_isq_refused")), (0, 1))


class OncePerPath(IsqTest):
    """With the rule on, a packet that causes an ISQ gets bits in its DSCP. A packet with these bits causes none."""

    def runTest(self) -> None:
        self.set_address()
        always = {**ALWAYS, "points": [{"depth": 0, "p1": 1.0, "isq": True}]}
        for isq_in_dataplane in (False, True):
            for once, dscp_in, dscp_out, sends_isq in (
                (False, 0b001010, 0b001010, True),
                (True, 0b001010, 0b001011, True),
                (True, 0b001011, 0b001011, False),
                (0b100000, 0b001010, 0b101010, True),
                (0b100000, 0b101010, 0b101010, False),
            ):
                with self.subTest(once=once, dscp=dscp_in, isq_in_dataplane=isq_in_dataplane):
                    self.set_profile(**always, once_per_path=once, isq_in_dataplane=isq_in_dataplane)
                    before = self.counter("port_isq_once_per_path")
                    self.send(self.packet(ECT0, tos=dscp_in << 2 | ECT0))
                    (frame,) = self.collect(1)
                    self.assertEqual(frame[15] >> 2, dscp_out)
                    self.assertEqual(ecn_of(frame), CE)
                    quenches = self.collect(int(sends_isq and isq_in_dataplane), port=SOURCE_PORT)
                    self.nothing_leaves(SOURCE_PORT)
                    copies = self.copies(int(sends_isq and not isq_in_dataplane))
                    self.assertEqual(len(quenches) + len(copies), int(sends_isq))
                    self.assertEqual(self.counter("port_isq_once_per_path") - before, int(not sends_isq))
                    self.switch.flush()


class Ipv6Counted(IsqTest):
    """IPv6 is marked and dropped like IPv4. It causes no ISQ, and that is counted."""

    def runTest(self) -> None:
        self.set_address()
        for isq_in_dataplane in (False, True):
            for drop in (False, True):
                with self.subTest(isq_in_dataplane=isq_in_dataplane, drop=drop):
                    points = [{"depth": 0, "p1": 1.0, "isq": True, "drop": drop}]
                    self.set_profile(**ALWAYS, points=points, isq_in_dataplane=isq_in_dataplane)
                    before = self.counter("port_isq_ipv6")
                    self.assertEqual(len(self.outcome([self.packet(ECT0, v6=True)])), 0 if drop else 1)
                    self.assertEqual(self.counter("port_isq_ipv6") - before, 1)
                    self.assertEqual(self.copies(), [])
                    self.nothing_leaves(SOURCE_PORT)
