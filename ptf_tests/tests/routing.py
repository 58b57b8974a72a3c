# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Routing, packet-out, queue reports, and a profile that changes under traffic."""

import threading
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_network
from itertools import pairwise

from quench.client import entries
from quench.client.packet_in import Reason
from quench.config.model import NextHopConfig, RouteConfig
from scapy.layers.inet import IP, TCP, IPOption_RR
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw
from support.base import (
    BURST,
    DESTINATION,
    ECT0,
    HOST_MAC,
    NOT_ECT,
    QUEUE_PORT,
    ROUTER_MAC,
    QuenchTest,
    number_of,
    real_time,
)

PACKETS, CHANGES = 3000, 20
SHARED_FLOWS = 16


@real_time
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
                    self.nothing_leaves()
                    continue
                expected = Ether(bytes(packet))
                expected.src, expected.dst = ROUTER_MAC[2], HOST_MAC[2]
                if IP in expected:
                    expected[IP].ttl -= 1
                    del expected[IP].chksum
                else:
                    expected[IPv6].hlim -= 1
                (came,) = self.collect(1)
                self.assertEqual(came.hex(), bytes(expected).hex())


@real_time
class SharedRoute(QuenchTest):
    """The flows of a route with two next hops use both, and a flow keeps to one."""

    def runTest(self) -> None:
        if not self.program.pipeline.takes_groups:
            self.skipTest("the program has one next hop for each route")
        hops = tuple(
            NextHopConfig(port=port, source_mac=ROUTER_MAC[port], destination_mac=HOST_MAC[port]) for port in (1, 2)
        )
        self.switch.write([~entries.flow_seed("s1"), +entries.group(1, hops)])
        for network in ("10.0.3.0/24", "2001:db8:3::/64"):
            route = RouteConfig(prefix=ip_network(network), next_hops=hops)
            self.switch.write([+entries.route(route, {hops: 1})])
        for v6, destination in ((False, "10.0.3.1"), (True, "2001:db8:3::1")):
            for number in range(2 * SHARED_FLOWS):
                packet = self.packet(NOT_ECT, v6=v6)
                packet[IPv6 if v6 else IP].dst = destination
                packet[TCP].sport = number % SHARED_FLOWS
                self.send(packet)
            came: dict[int, list[Packet]] = {1: [], 2: []}

            def all_came(came: dict[int, list[Packet]] = came) -> bool:
                for port, packets in came.items():
                    packets += map(Ether, self.collect(2 * SHARED_FLOWS, port, 0.0))
                return sum(map(len, came.values())) == 2 * SHARED_FLOWS

            self.wait_until(all_came)
            for port, packets in came.items():
                for packet in packets:
                    self.assertEqual((packet.src, packet.dst), (ROUTER_MAC[port], HOST_MAC[port]))
            first, second = ({packet[TCP].sport for packet in packets} for packets in came.values())
            self.assertEqual((len(first) + len(second), first & second), (SHARED_FLOWS, set()))
            # By chance a next hop gets less than 3 of 16 flows for one in 240 seeds; this one is fixed.
            self.assertGreaterEqual(min(len(first), len(second)), 3)


@real_time
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
                # A packet that is forwarded would come before this one.
                self.send(self.packet(NOT_ECT, 4711))
                self.assertEqual([number_of(came) for came in self.collect(1)], [4711])


@real_time
class PacketOut(QuenchTest):
    """A packet-out goes unchanged to a port, or is routed."""

    def runTest(self) -> None:
        packet = self.packet(NOT_ECT)
        self.switch.packet_out(bytes(packet), egress_port=3, submit_to_ingress=0, pad0=0)
        (came,) = self.collect(1, port=3)
        self.assertEqual(came, bytes(packet))
        self.switch.packet_out(bytes(packet), egress_port=3, submit_to_ingress=1, pad0=0)
        (came,) = self.collect(1)
        self.assertEqual(Ether(came)[IP].ttl, 63)


class QueueReports(QuenchTest):
    """At most one report in an interval, and the queue's packets are not changed."""

    def runTest(self) -> None:
        self.set_profile(scheme="taildrop", report_interval="200ms")
        start_s = self.switch.now_s()
        for frame in self.frames(ECT0, 100):
            self.send(frame)
            self.switch.sleep(0.01)
        elapsed_s = self.switch.now_s() - start_s
        self.assertEqual(len(self.collect(100)), 100)
        copies = self.copies()
        self.assertTrue(all(copy.reason is Reason.QUEUE_REPORT for copy in copies))
        self.assertTrue(2 <= len(copies) <= 1 + elapsed_s / 0.2, len(copies))
        for before, after in pairwise(copies):
            self.assertGreaterEqual(after.time_us - before.time_us, 200_000)


@real_time
class ChangeUnderTraffic(QuenchTest):
    """A profile that changes all the time loses no packet and keeps their order."""

    def runTest(self) -> None:
        done = threading.Event()
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

        frames = self.frames(ECT0, BURST)
        sent = 0
        changer = ThreadPoolExecutor(1)
        changing = changer.submit(change)
        try:
            while sent < PACKETS or (self._profile < CHANGES and not changing.done()):
                came = self.outcome(frames)
                self.assertEqual([number_of(frame) for frame in came], list(range(BURST)))
                sent += BURST
        finally:
            done.set()
            changer.shutdown()
        changing.result()
        self.assertEqual(self.counter("port_seen", QUEUE_PORT), sent)
