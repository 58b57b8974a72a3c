# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The kernel's count of codepoints, on a veth pair of a namespace of its own."""

import socket
import subprocess
import time

import pytest
from quench_topologies.demo.codepoints import CodepointCounter
from quench_topologies.isolation import private_network

pytestmark = pytest.mark.netns
SENT = {0b00: 3, 0b01: 5, 0b10: 7, 0b11: 11}
"""Packets of each codepoint: not ECT, ECT(1), ECT(0), CE."""


def frame(ethertype: int, tos: int) -> bytes:
    return bytes(12) + ethertype.to_bytes(2) + bytes([0x45, tos]) + bytes(60)


def settled(counter: CodepointCounter, expected: tuple[int, int]) -> tuple[int, int]:
    """The counts, once they are as expected or have had time enough to be."""
    deadline = time.monotonic() + 30
    while (counts := counter.counts()) != expected and time.monotonic() < deadline:
        time.sleep(0.01)
    return counts


def make_link() -> None:
    """Near and far, ready: until then the kernel drops what is sent."""
    subprocess.run(["ip", "link", "add", "near", "type", "veth", "peer", "name", "far"], check=True)
    for name in ("near", "far"):
        subprocess.run(["ip", "link", "set", name, "up"], check=True)
    deadline = time.monotonic() + 30
    for name in ("near", "far"):
        while (
            "state UP"
            not in subprocess.run(["ip", "link", "show", name], check=True, capture_output=True, text=True).stdout
        ):
            assert time.monotonic() < deadline
            time.sleep(0.01)


def test_only_what_comes_in_as_ipv4_is_counted_by_its_codepoint() -> None:
    with private_network():
        make_link()
        with CodepointCounter("far") as counter, socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sender:
            sender.bind(("near", 0))
            for codepoint, count in SENT.items():
                for _ in range(count):
                    sender.send(frame(0x0800, 0xB8 | codepoint))
            sender.send(frame(0x86DD, 0b11))
            with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as backwards:
                backwards.bind(("far", 0))
                backwards.send(frame(0x0800, 0b11))
            # Packets arrive in order: when the last has come, the others had their chance to be counted.
            sender.send(frame(0x0800, 0b01))
            assert settled(counter, (6, 11)) == (6, 11)


def test_more_than_any_buffer_holds_is_counted() -> None:
    with private_network():
        make_link()
        with CodepointCounter("far") as counter, socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sender:
            sender.bind(("near", 0))
            for _ in range(5000):
                sender.send(frame(0x0800, 0b11))
            assert settled(counter, (0, 5000)) == (0, 5000)
