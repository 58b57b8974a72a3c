# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Several queues of one port: the queue of each packet, their order of service, and the state of each queue."""

from typing import Any

import finsy as fy
from scapy.layers.inet import IP
from scapy.layers.inet6 import IPv6
from scapy.packet import Packet
from support.base import CE, ECT0, NOT_ECT, QUEUE_PORT, QuenchTest, ecn_of, number_of, real_time
from support.programs import HELD_PKTS

VOICE, VOICE_QUEUE = 46, 1
CLASS_5, CLASS_5_QUEUE = 0b101000, 2


class _Classes(QuenchTest):
    def setUp(self) -> None:
        super().setUp()
        # The rule for one codepoint has precedence over the rule for its class selector's three bits.
        for dscp, mask, queue, priority in (
            (VOICE, 0b111111, VOICE_QUEUE, 20),
            (CLASS_5, 0b111000, CLASS_5_QUEUE, 10),
        ):
            self.switch.write(
                [
                    +fy.P4TableEntry(
                        "QuenchIngress.classification.dscp_queue",
                        match=fy.P4TableMatch(dscp=(dscp, mask)),
                        action=fy.P4TableAction("QuenchIngress.classification.use_queue", queue=queue),
                        priority=priority,
                    )
                ]
            )

    def of_class(self, dscp: int, ecn: int, number: int = 0, v6: bool = False) -> Packet:
        packet = self.packet(ecn, number, v6=v6)
        if v6:
            packet[IPv6].tc = dscp << 2 | ecn
        else:
            packet[IP].tos = dscp << 2 | ecn
            del packet[IP].chksum
        return packet


@real_time
class QueueOfAPacket(_Classes):
    """The copies for the CPU name the queue."""

    def runTest(self) -> None:
        always: dict[str, Any] = {"scheme": "curve", "wait": False, "points": [{"depth": 0, "p1": 1.0, "isq": True}]}
        for queue in (0, VOICE_QUEUE, CLASS_5_QUEUE):
            self.set_profile(queue=queue, **always)
        for dscp, queue in ((0, 0), (VOICE, VOICE_QUEUE), (44, CLASS_5_QUEUE), (40, CLASS_5_QUEUE), (8, 0)):
            with self.subTest(dscp=dscp):
                self.send(self.of_class(dscp, ECT0))
                (copy,) = self.copies(1)
                self.assertEqual(copy.queue, queue)
                self.assertEqual(len(self.collect(1)), 1)


@real_time
class StrictPriority(_Classes):
    """Packets in the queue with the higher number leave first, IPv4 and IPv6 alike. Each queue keeps its order.

    BMv2 limits the rate of each queue by itself, so there two queues never wait for one port.
    """

    def runTest(self) -> None:
        for v6 in (False, True):
            with self.subTest(v6=v6):
                self.switch.ports.hold(QUEUE_PORT)
                before = self.seen()
                for number in range(HELD_PKTS):
                    self.send(self.of_class(CLASS_5, NOT_ECT, number, v6))
                self.settle(before + HELD_PKTS)
                for number in range(3):
                    self.send(self.of_class(0, NOT_ECT, 100 + number, v6))
                    self.send(self.of_class(VOICE, NOT_ECT, 200 + number, v6))
                self.settle(before + HELD_PKTS + 6)
                self.switch.ports.release(QUEUE_PORT)
                came = [number_of(frame) for frame in self.collect(HELD_PKTS + 6)]
                self.assertEqual(sorted(came), sorted([*range(HELD_PKTS), 100, 101, 102, 200, 201, 202]))
                waiting = [number for number in came if number >= 100]
                if not self.target.has_links:
                    waiting.sort(key=lambda number: -(number // 100))
                self.assertEqual(waiting, [200, 201, 202, 100, 101, 102])


@real_time
class StatePerQueue(_Classes):
    """Each queue of a port has an average and a profile of its own."""

    def runTest(self) -> None:
        self.fill(30, scheme="taildrop")
        curve: dict[str, Any] = {
            "scheme": "curve",
            "wq": 6e-8,
            "wait": False,
            "points": [{"depth": 0, "p1": 0}, {"depth": 20, "p1": 0}, {"depth": 20, "p1": 1.0}],
        }
        self.set_profile(**curve)
        self.set_profile(queue=VOICE_QUEUE, **curve)
        for dscp, marked in ((0, True), (VOICE, False), (8, True), (CLASS_5, False)):
            with self.subTest(dscp=dscp):
                self.send(self.of_class(dscp, ECT0))
                (frame,) = self.collect(1)
                self.assertEqual(ecn_of(frame) == CE, marked)
