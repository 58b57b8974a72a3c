# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The base of the tests: one router with two networks, and a queue whose average a test sets."""

import queue
import time
from collections.abc import Callable, Mapping, Sequence
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import finsy as fy
import ptf
from ptf.base_tests import BaseTest
from ptf.testutils import dp_poll, send_packet, test_param_get
from quench.client import entries
from quench.client.packet_in import Copy, decode
from quench.config.model import RouteConfig
from scapy.layers.inet import IP, TCP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw

from support.client import P4RuntimeClient
from support.programs import FROZEN_WQ, PACKET_BYTES, PROGRAMS, names_of
from support.targets import DEVICE_ID, ports_of

SOURCE_PORT, QUEUE_PORT = 1, 2
SOURCE, DESTINATION = "10.0.1.1", "10.0.2.2"
SOURCE6, DESTINATION6 = "2001:db8:1::1", "2001:db8:2::2"
ROUTER_MAC = {1: "00:00:00:00:01:01", 2: "00:00:00:00:02:01"}
HOST_MAC = {1: "00:00:00:00:01:02", 2: "00:00:00:00:02:02"}
NOT_ECT, ECT1, ECT0, CE = 0b00, 0b01, 0b10, 0b11
BURST = 40
"""Few enough for a receive buffer of Linux's default size (about 90 packets), should PTF not read while it sends."""
SETTLE_S = 0.1
"""Time for packets to pass ingress before a write that must not affect them."""
_DEPTHS = frozenset({"minth", "midth", "becnthresh", "maxth", "depth"})


class QuenchTest(BaseTest):
    """Loads the pipeline and the routes. The queue is that of port 2."""

    queue_port = QUEUE_PORT
    packet_bytes = PACKET_BYTES

    def setUp(self) -> None:
        super().setUp()
        self.dataplane = ptf.dataplane_instance
        self.dataplane.flush()
        build = Path(test_param_get("build"))
        self.program = PROGRAMS[test_param_get("target")]
        self.client = P4RuntimeClient(
            test_param_get("grpc"),
            DEVICE_ID,
            build / f"{self.program.file}.p4info.txtpb",
            build / f"{self.program.file}.json",
        )
        self.addCleanup(self.client.close)
        self.ports = ports_of(test_param_get("target"), test_param_get("ports"))
        self.is_bmv2 = test_param_get("target") == "bmv2"
        self._profile = 0
        self._queues: set[int] = set()
        self._rows: dict[int, Any] = {}
        self._filled: tuple[int, float] | None = None
        self.client.write(+session for session in self.program.sessions())
        # BMv2 keeps a session's replicas when a pipeline is loaded again.
        self.addCleanup(self.client.write, [-session for session in self.program.sessions()])
        self.program.prepare(self)
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
        """Give a queue of the port a new profile, as the controller does. Depths are numbers of packets.

        An average that is to stay is made anew where it has begun to decay.
        """
        if self._filled is not None and settings.get("wq") == FROZEN_WQ:
            average_pkts, since_s = self._filled
            if time.monotonic() - since_s > self.program.average_lasts_s:
                self._set_average(average_pkts)
        named = {"report_interval": 0, **_with_units(settings)}
        rows = self.program.rows(named, isq_in_dataplane=isq_in_dataplane)
        self._profile += 1
        self._rows[self._profile] = rows
        pipeline = self.program.pipeline
        self.client.write(+entry for entry in pipeline.profile(self._profile, rows))
        self.program.before_use(self, queue, named, rows)
        pointer = pipeline.pointer(QUEUE_PORT, queue, self._profile)
        self.client.write([~pointer if queue in self._queues else +pointer])
        self._queues.add(queue)
        self.forget_profiles(keep=self.program.most_profiles)

    def probability(self, exact: float, average_pkts: int, level: int = 1, size: int = PACKET_BYTES) -> float:
        """What the newest profile makes of a scheme's probability: the same, or nearly where the target has steps."""
        return self.program.probability(exact, self._rows[self._profile], average_pkts, level, size)

    def forget_profiles(self, keep: int) -> None:
        """Delete the rows of all profiles but the newest ``keep``: the tables are limited."""
        for profile in sorted(self._rows)[:-keep]:
            self.client.write(-entry for entry in self.program.pipeline.profile(profile, self._rows.pop(profile)))

    def packet(self, ecn: int, number: int = 0, v6: bool = False, size: int = PACKET_BYTES, **fields: Any) -> Packet:
        """A TCP segment from the source to the destination; ``number`` is its sequence number."""
        network: Packet
        if v6:
            network = IPv6(src=SOURCE6, dst=DESTINATION6, tc=ecn, hlim=64)
        else:
            network = IP(**{"src": SOURCE, "dst": DESTINATION, "tos": ecn, "ttl": 64, **fields})
        packet = Ether(src=HOST_MAC[1], dst=ROUTER_MAC[1]) / network / TCP(sport=5001, dport=80, seq=number, flags="A")
        return packet / Raw(b"q" * (size - (len(packet) - 14)))

    def plain(self, size: int = PACKET_BYTES) -> Packet:
        """A packet that no scheme marks."""
        return self.packet(NOT_ECT, size=size)

    def seen(self) -> int:
        """Packets to the queue's port that have come to ingress."""
        return self.counter("port_seen", self.queue_port)

    def settle(self, seen_pkts: int) -> None:
        """Wait until so many packets have passed ingress, before a write that must not affect them."""
        self.wait_until(lambda: self.seen() >= seen_pkts)
        # BMv2 counts a packet before it has passed.
        time.sleep(SETTLE_S)

    def send(self, packet: Packet, count: int = 1) -> None:
        """Send from the source."""
        send_packet(self, SOURCE_PORT, bytes(packet), count)

    def fill(self, average_pkts: int, **settings: Any) -> None:
        """Set the average to ``average_pkts``, and keep it there under a profile with these settings."""
        self._set_average(average_pkts)
        self.set_profile(wq=FROZEN_WQ, **settings)

    def _set_average(self, average_pkts: int) -> None:
        self._filled = None
        self.program.fill(self, average_pkts)
        self._filled = average_pkts, time.monotonic()

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
                packet = self.client.packet_ins.get(timeout=quiet_s if len(copies) >= at_least else 5)
                copies.append(self.program.copy(decode(packet)))
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
        total = 0
        for each in names_of(self.client.schema, name):
            (entry,) = self.client.read(fy.P4CounterEntry(each, index=port))
            total += int(entry.packet_count)
        return total


def ecn_of(packet: Packet) -> int:
    """The two-bit ECN field of an IPv4 or IPv6 packet."""
    return int(packet[IP].tos if IP in packet else packet[IPv6].tc) & 0b11


def _with_units(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings, with the unit of each threshold and of each point's depth."""
    values: dict[str, Any] = {key: f"{value}pkts" if key in _DEPTHS else value for key, value in settings.items()}
    if "points" in values:
        values["points"] = [_with_units(point) for point in values["points"]]
    return values
