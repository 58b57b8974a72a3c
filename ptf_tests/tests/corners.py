# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Branches and entries of the program that no other test reaches; `make coverage-p4` lists those that are left."""

from typing import Any

from quench.client.packet_in import Reason
from scapy.layers.inet6 import IPv6
from support.base import CE, ECT0, NOT_ECT, QUEUE_PORT, SOURCE_PORT, QuenchTest, ecn_of, number_of

ALWAYS: dict[str, Any] = {"scheme": "curve", "points": [{"depth": 0, "p1": 1.0, "isq": True}]}


class Ipv6NotForwarded(QuenchTest):
    """No hop left, no route."""

    def runTest(self) -> None:
        for name, fields in {"hop limit": {"hlim": 1}, "route": {"dst": "2001:db8:9::1"}}.items():
            with self.subTest(fault=name):
                packet = self.packet(NOT_ECT, v6=True)
                for field, value in fields.items():
                    packet[IPv6].setfieldval(field, value)
                self.send(packet)
                self.nothing_leaves(SOURCE_PORT)
                # A packet that is forwarded would come before this one.
                self.send(self.packet(NOT_ECT, 4711, v6=True))
                self.assertEqual([number_of(frame) for frame in self.collect(1)], [4711])


class NoIsqToGroupsAndLoopback(QuenchTest):
    """A packet in a multicast frame, and one whose source is a loopback address, cause no source quench."""

    def runTest(self) -> None:
        in_group = self.packet(ECT0)
        in_group.dst = "01:00:5e:00:00:01"
        for mark_at in ("head", "tail"):
            self.set_profile(**ALWAYS, mark_at=mark_at)
            for name, packet in {"group": in_group, "loopback": self.packet(ECT0, src="127.0.0.1")}.items():
                with self.subTest(packet=name, mark_at=mark_at):
                    before = self.counter("port_isq_refused")
                    self.send(packet)
                    (came,) = self.collect(1)
                    self.assertEqual(ecn_of(came), CE)
                    self.assertEqual(self.copies(), [])
                    self.assertEqual(self.counter("port_isq_refused") - before, 1)


class NoIsqInIngress(QuenchTest):
    """With tail marking IPv6 and the DSCP of a packet that caused a source quench upstream forbid one, as with head."""

    def runTest(self) -> None:
        self.set_profile(**ALWAYS, mark_at="tail", once_per_path=True)
        for counter, packet in {
            "port_isq_ipv6": self.packet(ECT0, v6=True),
            "port_isq_once_per_path": self.packet(ECT0, tos=0b001011 << 2 | ECT0),
        }.items():
            with self.subTest(counter=counter):
                before = self.counter(counter)
                self.send(packet)
                (came,) = self.collect(1)
                self.assertEqual(ecn_of(came), CE)
                self.assertEqual(self.copies(), [])
                self.assertEqual(self.counter(counter) - before, 1)


class SecondLevelCopied(QuenchTest):
    """The copy of a packet that got the second mark says so, wherever it was marked."""

    def runTest(self) -> None:
        for mark_at in ("head", "tail"):
            with self.subTest(mark_at=mark_at):
                self.set_profile(
                    scheme="curve", points=[{"depth": 0, "p1": 1.0, "p2": 1.0, "isq": True}], mark_at=mark_at
                )
                self.send(self.packet(ECT0))
                (copy,) = self.copies(1)
                self.assertEqual((copy.reason, copy.level, copy.egress_port), (Reason.MARKED, 2, QUEUE_PORT))
                (came,) = self.collect(1)
                self.assertEqual(ecn_of(came), CE)
