# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Routes of quench.p4 with several next hops: what a flow is, and how one switch and several in a row divide flows."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterable
from functools import cache
from ipaddress import ip_address
from itertools import product
from pathlib import Path
from random import Random

import pytest
from quench_switch import VirtualSwitch, compile_p4

SIGNIFICANCE = 0.001
CRITICAL = {1: 10.83, 2: 13.82, 3: 16.27}
"""Chi-square by degrees of freedom, at SIGNIFICANCE."""
SEEDS = (0xC2B2AE35, 0x9E3779B1)
GROUP = 7
UPLINKS = 10
"""The port of a group's first next hop."""
MAC = bytes.fromhex("020000000001")
TCP, UDP, ICMP = 6, 17, 1


@cache
def quench() -> str:
    return compile_p4(str(Path(__file__).parents[1] / "quench.p4")).json


def switch_with_group(hops: int, seed: int) -> VirtualSwitch:
    switch = VirtualSwitch(seed=1)
    switch.load(quench())
    use = "QuenchIngress.next_hop.use_next_hop"
    hop = [(use, [bytes([UPLINKS + number]), MAC, MAC[:-1] + bytes([number])], 1, None) for number in range(hops)]
    group = GROUP.to_bytes(2, "big")
    switch.table_insert("QuenchIngress.next_hop.next_hop", [("exact", group)], 0, ("oneshot", hop, False, 0))
    switch.table_set_default(
        "QuenchIngress.next_hop.flow_seed", ("action", "QuenchIngress.next_hop.use_seed", [seed.to_bytes(4, "big")])
    )
    action = ("action", "QuenchIngress.routing.use_group", [group])
    switch.table_insert("QuenchIngress.routing.ipv4_route", [("lpm", bytes([10, 0, 2, 0]), 24)], 0, action)
    prefix = ip_address("2001:db8:2::").packed
    switch.table_insert("QuenchIngress.routing.ipv6_route", [("lpm", prefix, 48)], 0, action)
    return switch


Flow = tuple[str, str, int, int, int]
"""Source, destination, protocol, source port, destination port."""


def packet(flow: Flow, *, fragment: int = 0, payload: bytes = bytes(20)) -> bytes:
    """An Ethernet frame; ``fragment``: the IPv4 word of flags and offset."""
    source, destination, protocol, source_port, destination_port = flow
    ends = ip_address(source).packed + ip_address(destination).packed
    body = struct.pack("!HH", source_port, destination_port) + payload
    if len(ends) == 32:
        return bytes(12) + b"\x86\xdd" + struct.pack("!IHBB", 6 << 28, len(body), protocol, 64) + ends + body
    fields = [0x45, 0, 20 + len(body), 1, fragment, 64, protocol, 0, ends]
    total = sum(struct.unpack("!10H", struct.pack("!BBHHHBBH8s", *fields)))
    total = (total & 0xFFFF) + (total >> 16)
    fields[7] = ~((total & 0xFFFF) + (total >> 16)) & 0xFFFF
    return bytes(12) + b"\x08\x00" + struct.pack("!BBHHHBBH8s", *fields) + body


def hops_of(switch: VirtualSwitch, packets: Iterable[bytes], start_ns: int = 0) -> list[int]:
    """The next hop of each packet, of which one comes each microsecond."""
    found = []
    for time_ns, data in enumerate(packets, start=start_ns // 1000):
        switch.receive(1, data, time_ns * 1000)
        for port, sent, _ in switch.advance(time_ns * 1000):
            assert sent[5] == port - UPLINKS, "the next hop's address belongs to its port"
            found.append(port - UPLINKS)
    return found


def flows(count: int, version: int) -> list[Flow]:
    """Flows of one pair of hosts, which differ in their source port alone: the hardest to divide."""
    ends = ("10.0.1.1", "10.0.2.1") if version == 4 else ("2001:db8:1::1", "2001:db8:2::1")
    return [(*ends, TCP, 32768 + number, 5001) for number in range(count)]


def random_flows(count: int, version: int) -> list[Flow]:
    draw = Random(20261129)
    host = ("10.0.1.{}", "10.0.2.{}") if version == 4 else ("2001:db8:1::{}", "2001:db8:2::{}")
    return [
        (
            host[0].format(draw.randrange(1, 99)),
            host[1].format(draw.randrange(1, 99)),
            draw.choice((TCP, UDP)),
            draw.randrange(1024, 65536),
            draw.randrange(1, 1024),
        )
        for _ in range(count)
    ]


def chi_square(found: Iterable[int], kinds: int) -> float:
    counts = Counter(found)
    expected = sum(counts.values()) / kinds
    return sum((counts[kind] - expected) ** 2 / expected for kind in range(kinds))


@pytest.mark.parametrize(("version", "hops"), list(product((4, 6), (2, 3, 4))))
@pytest.mark.parametrize("make", [flows, random_flows])
def test_flows_divide_evenly(version: int, hops: int, make: type) -> None:
    packets = [packet(flow) for flow in make(512, version)]
    for seed in SEEDS:
        found = hops_of(switch_with_group(hops, seed), packets)
        assert len(found) == len(packets)
        assert chi_square(found, hops) < CRITICAL[hops - 1], Counter(found)


@pytest.mark.parametrize("version", [4, 6])
def test_switches_in_a_row_divide_independently(version: int) -> None:
    """Packets that one switch sends one way divide anew at the next. By a CRC with a seed as its key they would not."""
    packets = [packet(flow) for flow in flows(1024, version)]
    first, second = (hops_of(switch_with_group(2, seed), packets) for seed in SEEDS)
    pairs = [2 * a + b for a, b in zip(first, second, strict=True)]
    assert chi_square(pairs, 4) < CRITICAL[3], Counter(pairs)
    assert hops_of(switch_with_group(2, SEEDS[0]), packets) == first, "with one seed all would go on one way"


@pytest.mark.parametrize("version", [4, 6])
def test_a_flow_keeps_its_way_and_each_part_of_the_five_tuple_counts(version: int) -> None:
    (base,) = random_flows(1, version)
    switch = switch_with_group(64, SEEDS[0])
    same = [packet(base, payload=bytes([number]) * (20 + number)) for number in range(50)]
    assert len(set(hops_of(switch, same))) == 1
    addresses = [f"10.0.{{}}.{number}" if version == 4 else f"2001:db8:{{}}::{number:x}" for number in range(100, 120)]
    others = {
        "source": [(each.format(1), *base[1:]) for each in addresses],
        "destination": [(base[0], each.format(2), *base[2:]) for each in addresses],
        "protocol": [(*base[:2], protocol, *base[3:]) for protocol in (TCP, UDP, 33, 132, 136)],
        "source port": [(*base[:3], port, base[4]) for port in range(20)],
        "destination port": [(*base[:4], port) for port in range(20)],
    }
    for later, (part, changed) in enumerate(others.items(), start=1):
        assert len(set(hops_of(switch, map(packet, changed), later * 10**6))) > 1, part


def test_fragments_and_icmp_take_one_way() -> None:
    """Only a first fragment has ports, and an echo's first words are its type and checksum."""
    switch = switch_with_group(64, SEEDS[0])
    more, offset = 0x2000, 185
    udp = ("10.0.1.1", "10.0.2.1", UDP, 5001, 5002)
    fragments = [packet(udp, fragment=more), packet((*udp[:3], 9, 9), fragment=more + offset)]
    fragments.append(packet((*udp[:3], 77, 7), fragment=2 * offset))
    assert len(set(hops_of(switch, fragments))) == 1
    for later, ends in enumerate((("10.0.1.1", "10.0.2.1", ICMP), ("2001:db8:1::1", "2001:db8:2::1", 58)), start=1):
        echoes = [packet((*ends, 0x0800, number)) for number in range(50)]
        assert len(set(hops_of(switch, echoes, later * 10**6))) == 1


def test_a_packet_too_short_for_ports_and_a_group_without_next_hops() -> None:
    switch = switch_with_group(2, SEEDS[0])
    base = random_flows(1, 6)[0]
    short = packet(base)[:-21]
    short = short[:18] + (3).to_bytes(2, "big") + short[20:]
    assert len(hops_of(switch, [short])) == 1
    switch.table_delete("QuenchIngress.next_hop.next_hop", [("exact", GROUP.to_bytes(2, "big"))], 0)
    assert hops_of(switch, [packet(base), packet(random_flows(1, 4)[0])], 10**6) == []
