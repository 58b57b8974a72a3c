# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Routing, packet-out, queue reports, and a profile that changes under traffic."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

from quench.client.packet_in import Reason
from scapy.layers.inet import IP, TCP, IPOption_RR
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Raw
from support.base import BURST, DESTINATION, ECT0, HOST_MAC, NOT_ECT, QUEUE_PORT, ROUTER_MAC, QuenchTest


class Forwarding(QuenchTest):
    """MAC rewrite, TTL or hop limit, checksum, with and without options."""

    def runTest(self) -> None:
        for packet in (
            self.packet(NOT_ECT),
            self.packet(NOT_ECT, options=[IPOption_RR(routers=["0.0.0.0"] * 9)]),
            self.packet(NOT_ECT, v6=True),
            # Too short for its TCP header, which a router does not check.
            Ether(src=HOST_MAC[1], dst=ROUTER_MAC[1]) / IP(dst=DESTINATION, src="10.0.1.1", proto=6) / Raw(bytes(6)),
        ):
            with self.subTest(packet=packet.summary()):
                self.send(packet)
                if TCP not in packet and not self.program.forwards_cut_transport:
                    self.assertEqual(self.collect(1, timeout_s=0.3), [])
                    continue
                expected = Ether(bytes(packet))
                expected.src, expected.dst = ROUTER_MAC[2], HOST_MAC[2]
                if IP in expected:
                    expected[IP].ttl -= 1
                    del expected[IP].chksum
                else:
                    expected[IPv6].hlim -= 1
                (came,) = self.collect(1)
                self.assertEqual(bytes(came).hex(), bytes(expected).hex())


class NotForwarded(QuenchTest):
    """Packets with no TTL left, no route, a wrong checksum, an invalid header or no IP are dropped."""

    def runTest(self) -> None:
        link = Ether(src=HOST_MAC[1], dst=ROUTER_MAC[1])
        good = self.packet(NOT_ECT)
        for name, frame in {
            "ttl": bytes(self.packet(NOT_ECT, ttl=1)),
            "route": bytes(self.packet(NOT_ECT, dst="192.0.2.1")),
            "checksum": bytes(self.packet(NOT_ECT, chksum=0x1234)),
            "version": bytes(good)[:14] + b"\x55" + bytes(good)[15:],
            "ihl": bytes(good)[:14] + b"\x44" + bytes(good)[15:],
            "cut": bytes(good)[:30],
            "options cut": bytes(link / IP(dst=DESTINATION, ihl=15))[:40],
            "arp": bytes(link)[:12] + b"\x08\x06" + bytes(46),
        }.items():
            with self.subTest(fault=name):
                self.send(frame)
                self.assertEqual(self.collect(1, timeout_s=0.3), [])
        self.send(good)
        self.assertEqual(len(self.collect(1)), 1)


class PacketOut(QuenchTest):
    """A packet-out goes unchanged to a port, or is routed."""

    def runTest(self) -> None:
        packet = self.packet(NOT_ECT)
        self.client.packet_out(bytes(packet), egress_port=3, submit_to_ingress=0, pad0=0)
        (came,) = self.collect(1, port=3)
        self.assertEqual(bytes(came), bytes(packet))
        self.client.packet_out(bytes(packet), egress_port=3, submit_to_ingress=1, pad0=0)
        (came,) = self.collect(1)
        self.assertEqual(came[IP].ttl, 63)


class QueueReports(QuenchTest):
    """At most one report in an interval, and the queue's packets are not changed."""

    def runTest(self) -> None:
        self.set_profile(scheme="taildrop", report_interval="200ms")
        start = time.monotonic()
        for number in range(100):
            self.send(self.packet(ECT0, number))
            time.sleep(0.01)
        elapsed = time.monotonic() - start
        self.assertEqual(len(self.collect(100)), 100)
        copies = self.copies()
        self.assertTrue(all(copy.reason is Reason.QUEUE_REPORT for copy in copies))
        self.assertTrue(2 <= len(copies) <= 1 + elapsed / 0.2, len(copies))
        for before, after in pairwise(copies):
            self.assertGreaterEqual(after.time_us - before.time_us, 200_000)


class ChangeUnderTraffic(QuenchTest):
    """A profile that changes all the time loses no packet and keeps their order."""

    def runTest(self) -> None:
        count, done = 3000, threading.Event()
        self.set_profile(scheme="ecn", minth=5, maxth=15)

        def change() -> None:
            scheme = 0
            while not done.is_set():
                scheme += 1
                kind = ("ecn", "becn", "taildrop", "ecn-becn")[scheme % 4]
                thresholds = {} if kind == "taildrop" else {"minth": 5 + scheme % 3, "maxth": 20}
                extra = {"becnthresh": 10} if kind == "ecn-becn" else {}
                self.set_profile(scheme=kind, **thresholds, **extra)
                # A packet that waits in the queue still has the previous profile.
                self.forget_profiles(keep=2)

        changer = ThreadPoolExecutor(1)
        changing = changer.submit(change)
        try:
            came = []
            for number in range(count):
                self.send(self.packet(ECT0, number))
                if number % BURST == BURST - 1:
                    came += self.collect(BURST)
        finally:
            done.set()
            changer.shutdown()
        changing.result()
        self.assertGreater(self._profile, 5)
        self.assertEqual([packet[TCP].seq for packet in came], list(range(count)))
        self.assertEqual(self.counter("port_seen", QUEUE_PORT), count)
