# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The base of the tests: one router with two networks, and a queue whose average a test sets."""

from collections.abc import Callable, Iterable, Mapping
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import finsy as fy
from ptf.base_tests import BaseTest
from ptf.testutils import group, test_param_get
from quench.client import entries
from quench.client.packet_in import Copy, decode
from quench.client.pipelines import pipeline_of
from quench.config.model import RouteConfig
from quench.targets import TARGETS
from scapy.layers.inet import IP, TCP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw

from support.programs import FROZEN_WQ, PACKET_BYTES, PROGRAMS, names_of
from support.real_time import RealTimeSwitch
from support.switch import Switch

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
WAIT_S = 20.0
"""The longest wait for what has to happen."""
QUIET_S = 0.1
"""The wait for what must not happen. What comes later is found where the next packet is awaited."""
_DEPTHS = frozenset({"minth", "midth", "becnthresh", "maxth", "k", "depth"})

real_time = group("real_time")
"""The mark of a test that needs a switch which runs by itself; others run in virtual time where the target has it."""


class QuenchTest(BaseTest):
    """Loads the pipeline and the routes. The queue is that of port 2."""

    queue_port = QUEUE_PORT
    packet_bytes = PACKET_BYTES

    def setUp(self) -> None:
        super().setUp()
        self.target = TARGETS[test_param_get("target")]
        self.program = PROGRAMS[self.target.architecture.arch]
        self.switch = self._connect()
        self.addCleanup(self.switch.close)
        self._profile = 0
        self._queues: set[int] = set()
        self._rows: dict[int, Any] = {}
        self._filled: tuple[int, float] | None = None
        self.switch.write(+session for session in self.program.sessions())
        # BMv2 keeps a session's replicas when a pipeline is loaded again.
        self.addCleanup(self.switch.write, [-session for session in self.program.sessions()])
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
            self.switch.write([+entries.route(route)])

    def _connect(self) -> Switch:
        build = Path(test_param_get("build"))
        p4info, json = build / f"{self.program.file}.p4info.txtpb", build / f"{self.program.file}.json"
        address = test_param_get("grpc")
        if address is None:
            # Imported here: the tests on BMv2 need no embedded switch.
            from support.virtual_time import VirtualTimeSwitch

            return VirtualTimeSwitch(self.program, p4info, json, test_param_get("seed"))
        return RealTimeSwitch(self.target, address, test_param_get("ports"), p4info, json)

    def set_profile(self, *, queue: int = 0, isq_in_dataplane: bool = False, **settings: Any) -> None:
        """Give a queue of the port a new profile, as the controller does. Depths are numbers of packets.

        An average that is to stay is made anew where it has begun to decay.
        """
        if self._filled is not None and settings.get("wq") == FROZEN_WQ:
            average_pkts, since_s = self._filled
            if self.switch.now_s() - since_s > self.program.average_lasts_s:
                self._set_average(average_pkts)
        named = {"report_interval": 0, **_with_units(settings)}
        rows = self.program.rows(named, isq_in_dataplane=isq_in_dataplane)
        self._profile += 1
        self._rows[self._profile] = rows
        pipeline = pipeline_of(self.switch.schema)
        self.switch.write(+entry for entry in pipeline.profile(self._profile, rows))
        self.program.before_use(self, queue, named, rows)
        pointer = pipeline.pointer(QUEUE_PORT, queue, self._profile)
        self.switch.write([~pointer if queue in self._queues else +pointer])
        self._queues.add(queue)
        self.forget_profiles(keep=self.program.most_profiles)

    def probability(self, exact: float, average_pkts: int, level: int = 1, size: int = PACKET_BYTES) -> float:
        """The newest profile's value for a scheme's probability: the same, or nearly where the target has steps."""
        return self.program.probability(exact, self._rows[self._profile], average_pkts, level, size)

    def forget_profiles(self, keep: int) -> None:
        """Delete the rows of all profiles but the newest ``keep``: the tables are limited."""
        pipeline = pipeline_of(self.switch.schema)
        for profile in sorted(self._rows)[:-keep]:
            self.switch.write(-entry for entry in pipeline.profile(profile, self._rows.pop(profile)))

    def packet(self, ecn: int, number: int = 0, v6: bool = False, size: int = PACKET_BYTES, **fields: Any) -> Packet:
        """A TCP segment from the source to the destination; ``number`` is its sequence number."""
        network: Packet
        if v6:
            network = IPv6(src=SOURCE6, dst=DESTINATION6, tc=ecn, hlim=64)
        else:
            network = IP(**{"src": SOURCE, "dst": DESTINATION, "tos": ecn, "ttl": 64, **fields})
        packet = Ether(src=HOST_MAC[1], dst=ROUTER_MAC[1]) / network / TCP(sport=5001, dport=80, seq=number, flags="A")
        return packet / Raw(b"q" * (size - (len(packet) - 14)))

    def frames(self, ecn: int, count: int, v6: bool = False, size: int = PACKET_BYTES) -> list[bytes]:
        """Copies of `packet`, numbered from 0 on. Their TCP checksum is that of the first: routers read none."""
        first = bytes(self.packet(ecn, v6=v6, size=size))
        at = _number_at(first)
        return [first[:at] + number.to_bytes(4, "big") + first[at + 4 :] for number in range(count)]

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
        self.switch.sleep(SETTLE_S)

    def send(self, packet: Packet | bytes, count: int = 1) -> None:
        """Send from the source."""
        for _ in range(count):
            self.switch.send(SOURCE_PORT, bytes(packet))

    def fill(self, average_pkts: int, **settings: Any) -> None:
        """Set the average to ``average_pkts``, and keep it there under a profile with these settings."""
        self._set_average(average_pkts)
        self.set_profile(wq=FROZEN_WQ, **settings)

    def _set_average(self, average_pkts: int) -> None:
        self._filled = None
        self.program.fill(self, average_pkts)
        self._filled = average_pkts, self.switch.now_s()

    def collect(self, at_most: int, port: int = QUEUE_PORT, timeout_s: float = WAIT_S) -> list[bytes]:
        """Packets that leave by a port: until there are ``at_most``, or none has come for ``timeout_s``."""
        frames: list[bytes] = []
        while len(frames) < at_most and (frame := self.switch.receive(port, timeout_s)) is not None:
            frames.append(frame)
        return frames

    def nothing_leaves(self, port: int = QUEUE_PORT) -> None:
        """Fails where a packet leaves by a port."""
        self.assertEqual(self.collect(1, port, QUIET_S), [])

    def outcome(self, packets: Iterable[Packet | bytes]) -> list[bytes]:
        """Send packets, wait until each of them has come out or was dropped, and return those that came out."""
        before = self.dropped()
        sent = 0
        for packet in packets:
            self.send(packet)
            sent += 1
        came: list[bytes] = []

        def is_complete() -> bool:
            missing = sent - len(came) - (self.dropped() - before)
            came.extend(self.collect(missing, timeout_s=0.05))
            return missing == 0

        self.wait_until(is_complete)
        return came

    def dropped(self) -> int:
        """Packets to the queue's port that the program has dropped."""
        return self.counter("port_dropped_early") + self.counter("port_dropped_forced")

    def copies(self, at_least: int = 0, quiet_s: float = QUIET_S) -> list[Copy]:
        """Packet-ins: so many, and those that come right behind them, until none has come for ``quiet_s``."""
        copies: list[Copy] = []
        while (packet := self.switch.packet_in(quiet_s if len(copies) >= at_least else WAIT_S)) is not None:
            copies.append(self.program.copy(decode(packet)))
        return copies

    def wait_until(self, condition: Callable[[], bool]) -> None:
        """Wait until the switch has brought about a condition."""
        deadline_s = self.switch.now_s() + WAIT_S
        while not condition():
            self.assertLess(self.switch.now_s(), deadline_s, "it did not happen in time")
            self.switch.sleep(0.01)

    def counter(self, name: str, port: int = QUEUE_PORT) -> int:
        """Packets that a counter of the program has counted on a port."""
        total = 0
        for each in names_of(self.switch.schema, name):
            (entry,) = self.switch.read(fy.P4CounterEntry(each, index=port))
            total += int(entry.packet_count)
        return total


def ecn_of(frame: bytes) -> int:
    """The two-bit ECN field of an IPv4 or IPv6 packet."""
    return frame[15] >> (4 if _is_v6(frame) else 0) & 0b11


def number_of(frame: bytes) -> int:
    """The sequence number of a TCP segment in an IPv4 or IPv6 packet without options."""
    at = _number_at(frame)
    return int.from_bytes(frame[at : at + 4], "big")


def _number_at(frame: bytes) -> int:
    return 14 + (40 if _is_v6(frame) else 20) + 4


def _is_v6(frame: bytes) -> bool:
    return frame[12:14] == b"\x86\xdd"


def _with_units(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings, with the unit of each threshold and of each point's depth."""
    values: dict[str, Any] = {key: f"{value}pkts" if key in _DEPTHS else value for key, value in settings.items()}
    if "points" in values:
        values["points"] = [_with_units(point) for point in values["points"]]
    return values
