# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The base of the tests: one router with two networks, and a queue whose average a test sets."""

import queue
import time
from collections.abc import Callable, Mapping, Sequence
from ipaddress import ip_network
from itertools import chain
from pathlib import Path
from typing import Any

import finsy as fy
import ptf
from ptf.base_tests import BaseTest
from ptf.testutils import dp_poll, send_packet, test_param_get
from quench.config.model import RouteConfig
from quench.profiles import parse_settings
from quench.switch import entries
from quench.switch.counters import port_counters
from quench.switch.packet_in import Copy, decode
from quench.switch.pipelines import pipeline_of
from quench.switch.pipelines.filters import Filter
from scapy.layers.inet import IP, TCP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw

from support.client import P4RuntimeClient
from support.targets import DEVICE_ID, ports_of

SOURCE_PORT, QUEUE_PORT = 1, 2
SOURCE, DESTINATION = "10.0.1.1", "10.0.2.2"
SOURCE6, DESTINATION6 = "2001:db8:1::1", "2001:db8:2::2"
ROUTER_MAC = {1: "00:00:00:00:01:01", 2: "00:00:00:00:02:01"}
HOST_MAC = {1: "00:00:00:00:01:02", 2: "00:00:00:00:02:02"}
RATE_BPS = 10_000_000
NOT_ECT, ECT1, ECT0, CE = 0b00, 0b01, 0b10, 0b11
FROZEN_WQ = 6e-8
"""The smallest weight that the tables can hold: rounding leaves the average where it is."""
BURST = 40
"""Few enough for a receive buffer of Linux's default size (about 90 packets), should PTF not read while it sends."""
HELD_PKTS = 4
"""Packets that keep a held port busy on BMv2, which cannot stop a port but only slow it to 1 packet/s."""
SETTLE_S = 0.1
"""Time for packets to pass ingress before a write that must not affect them."""
PACKET_BYTES = 1000
_DEPTHS = frozenset({"minth", "midth", "becnthresh", "maxth", "depth"})


class QuenchTest(BaseTest):
    """Loads the pipeline and the routes. The queue is that of port 2."""

    def setUp(self) -> None:
        super().setUp()
        self.dataplane = ptf.dataplane_instance
        self.dataplane.flush()
        program = Path(test_param_get("program"))
        self.client = P4RuntimeClient(test_param_get("grpc"), DEVICE_ID, program.with_suffix(".p4info.txtpb"), program)
        self.addCleanup(self.client.close)
        self.ports = ports_of(test_param_get("target"), test_param_get("ports"))
        self.is_bmv2 = test_param_get("target") == "bmv2"
        self._profile = 0
        self._queues: set[int] = set()
        self._rows: dict[int, Any] = {}
        self.pipeline = pipeline_of(self.client.schema)
        self._filters: dict[int, Filter] = {}
        self.client.write(+session for session in self.pipeline.sessions())
        # BMv2 keeps a session's replicas when a pipeline is loaded again.
        self.addCleanup(self.client.write, [-session for session in self.pipeline.sessions()])
        self.client.write(+row for row in chain.from_iterable(self.pipeline.constants().values()))
        for network, port in (
            ("10.0.1.0/24", 1),
            ("10.0.2.0/24", 2),
            ("2001:db8:1::/64", 1),
            ("2001:db8:2::/64", 2),
        ):
            route = RouteConfig(
                prefix=ip_network(network), port=port, source_mac=ROUTER_MAC[port], destination_mac=HOST_MAC[port]
            )
            self.client.write([+entries.route(route)])

    def set_profile(self, *, queue: int = 0, isq_in_dataplane: bool = False, **settings: Any) -> None:
        """Give a queue of the port a new profile, as the controller does. Depths are numbers of packets."""
        parsed = parse_settings({"report_interval": 0, **_with_units(settings)})
        rows = self.pipeline.compile(parsed, RATE_BPS, isq_in_dataplane=isq_in_dataplane)
        self._profile += 1
        self._rows[self._profile] = rows
        self.client.write(~default.entry for default in self.pipeline.shared([rows]))
        self.client.write(+entry for entry in self.pipeline.profile(self._profile, rows))
        wanted = self.pipeline.filter(QUEUE_PORT, queue, rows)
        if wanted is not None and wanted != self._filters.get(queue):
            # Not oftener: setting a filter forgets its average.
            self.client.write([~wanted.entry()])
            self._filters[queue] = wanted
        pointer = self.pipeline.pointer(QUEUE_PORT, queue, self._profile)
        self.client.write([~pointer if queue in self._queues else +pointer])
        self._queues.add(queue)

    def forget_profiles(self, keep: int) -> None:
        """Delete the rows of all profiles but the newest ``keep``: the tables are limited."""
        for profile in sorted(self._rows)[:-keep]:
            self.client.write(-entry for entry in self.pipeline.profile(profile, self._rows.pop(profile)))

    def packet(self, ecn: int, number: int = 0, v6: bool = False, size: int = PACKET_BYTES, **fields: Any) -> Packet:
        """A TCP segment from the source to the destination; ``number`` is its sequence number."""
        network: Packet
        if v6:
            network = IPv6(src=SOURCE6, dst=DESTINATION6, tc=ecn, hlim=64)
        else:
            network = IP(**{"src": SOURCE, "dst": DESTINATION, "tos": ecn, "ttl": 64, **fields})
        packet = Ether(src=HOST_MAC[1], dst=ROUTER_MAC[1]) / network / TCP(sport=5001, dport=80, seq=number, flags="A")
        return packet / Raw(b"q" * (size - (len(packet) - 14)))

    def send(self, packet: Packet, count: int = 1) -> None:
        """Send from the source."""
        send_packet(self, SOURCE_PORT, bytes(packet), count)

    def fill(self, average_pkts: int, **settings: Any) -> None:
        """Set the average to ``average_pkts``, and keep it there under a profile with these settings.

        On a held port one packet has weight 1 and ``average_pkts`` packets behind it. All others have a weight that
        changes nothing.
        """
        self.ports.hold(QUEUE_PORT)
        self.set_profile(scheme="taildrop", wq=FROZEN_WQ)
        self.send(self.packet(NOT_ECT), HELD_PKTS)
        self.set_profile(scheme="taildrop", wq=1)
        self.send(self.packet(NOT_ECT))
        time.sleep(SETTLE_S)
        self.set_profile(scheme="taildrop", wq=FROZEN_WQ)
        self.ports.follow(QUEUE_PORT)
        self.send(self.packet(NOT_ECT), average_pkts)
        time.sleep(SETTLE_S)
        self.ports.release(QUEUE_PORT)
        came = self.collect(HELD_PKTS + 1 + average_pkts, timeout_s=HELD_PKTS + 5)
        self.assertEqual(len(came), HELD_PKTS + 1 + average_pkts, "packets were lost while the queue was filled")
        self.set_profile(wq=FROZEN_WQ, **settings)

    def collect(self, at_most: int, port: int = QUEUE_PORT, timeout_s: float = 1.0) -> list[Packet]:
        """Packets that leave by a port: until there are ``at_most``, or none has come for ``timeout_s``."""
        packets: list[Packet] = []
        while len(packets) < at_most:
            result = dp_poll(self, port_number=port, timeout=timeout_s)
            if not isinstance(result, self.dataplane.PollSuccess):
                break
            packets.append(Ether(result.packet))
        return packets

    def outcome(self, packets: Sequence[Packet]) -> list[Packet]:
        """Send packets, wait until each of them has come out or was dropped, and return those that came out."""
        before = self.dropped()
        for packet in packets:
            self.send(packet)
        came: list[Packet] = []

        def is_complete() -> bool:
            missing = len(packets) - len(came) - (self.dropped() - before)
            came.extend(self.collect(missing, timeout_s=0.05))
            return missing == 0

        self.wait_until(is_complete, 20.0)
        return came

    def dropped(self) -> int:
        """Packets to the queue's port that the program has dropped."""
        return self.counter("port_dropped_early") + self.counter("port_dropped_forced")

    def copies(self, at_least: int = 0, quiet_s: float = 0.5) -> list[Copy]:
        """Packet-ins, until none has come for ``quiet_s``."""
        copies: list[Copy] = []
        while True:
            try:
                copy = decode(self.client.packet_ins.get(timeout=quiet_s if len(copies) >= at_least else 5))
                copies.append(self.pipeline.in_packets(copy, PACKET_BYTES))
            except queue.Empty:
                return copies

    def wait_until(self, condition: Callable[[], bool], timeout_s: float = 5.0) -> None:
        """Wait until the switch has brought about a condition."""
        deadline = time.monotonic() + timeout_s
        while not condition():
            self.assertLess(time.monotonic(), deadline, "it did not happen in time")
            time.sleep(0.01)

    def counter(self, name: str, port: int = QUEUE_PORT) -> int:
        """Packets that a counter of the program has counted on a port."""
        aliases = [alias for alias, each in port_counters(self.client.schema).items() if each == name]
        found = [entry for alias in aliases for entry in self.client.read(fy.P4CounterEntry(alias, index=port))]
        return sum(int(entry.packet_count) for entry in found)


def ecn_of(packet: Packet) -> int:
    """The two-bit ECN field of an IPv4 or IPv6 packet."""
    return int(packet[IP].tos if IP in packet else packet[IPv6].tc) & 0b11


def _with_units(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings, with the unit of each threshold and of each point's depth."""
    values: dict[str, Any] = {key: f"{value}pkts" if key in _DEPTHS else value for key, value in settings.items()}
    if "points" in values:
        values["points"] = [_with_units(point) for point in values["points"]]
    return values
