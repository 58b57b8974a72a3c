# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Profiles of quench.p4 that decide by the bytes that wait, and source quenches: what they say, and what drops them."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quench_switch import VirtualSwitch
from virtual import CE, ECT0, ETHERNET_BYTES, FRACTION_ONE, IPV4_BYTES, PROBABILITY_ONE, add, compiled, frame

MEAN_BYTES = 1000
RATE_BPS = 8_000_000
"""A byte takes a microsecond."""
LEVEL_PER_PKT = 10
HERE, OUT, SENDER = 1, 2, 3
ROUTER = bytes([10, 9, 9, 9])
MarkAt = Literal["head", "tail"]


def switch_with(
    threshold_bytes: int, mark_at: MarkAt, *, now: bool = True, extended: bool = True, classes: bool = False
) -> VirtualSwitch:
    """A step at a threshold, with source quenches whose level is ten times the packets beyond it."""
    switch = VirtualSwitch(cpu_port=510, seed=1, priority_queues=8)
    switch.load(compiled("quench", *["QUENCH_EXTENDED"] * extended))
    add(switch, "routing.ipv4_route", [("lpm", bytes([10, 0, 2, 0]), 24)], "routing.forward", port=OUT)
    add(switch, "routing.ipv4_route", [("lpm", bytes([10, 0, 1, 0]), 24)], "routing.forward", port=SENDER)
    add(switch, "queue_profile", [("exact", bytes([OUT])), ("exact", b"\0")], "use_profile", profile=1)
    parameters = {"weight": FRACTION_ONE // 512, "level1_codepoint": CE, "level2_codepoint": CE, "isq_in_dataplane": 1}
    if extended:
        parameters["depth_per_byte"] = -(-FRACTION_ONE // MEAN_BYTES) * now
    parameters |= {"count_per_packet": 1 << 12, "mark_at_tail": int(mark_at == "tail")}
    add(switch, "profile_parameters", [("exact", b"\x01")], "set_parameters", **parameters)
    low = -(-threshold_bytes * 16 // MEAN_BYTES)
    arguments = {"start": low << 24, "level1_base": PROBABILITY_ONE, "isq": 1, "isq_level_slope": LEVEL_PER_PKT << 32}
    for pipeline in ("arrival", "departure"):
        key = [("exact", b"\x01"), ("range", low.to_bytes(3, "big"), b"\xff\xff\xff")]
        add(switch, f"{pipeline}_decision.curve", key, f"{pipeline}_decision.set_segment", **arguments)
    if classes:
        # A source quench has the precedence alone of the data's DSCP.
        add(switch, "dscp_queue", [("ternary", b"\0", b"\x3f")], "use_queue", queue=1)
    switch.table_set_default(
        "QuenchEgress.source_quench.router", ("action", "QuenchEgress.source_quench.use_address", [ROUTER, bytes(16)])
    )
    switch.clone_session_set(100, [(510, 0)])
    switch.port_set(OUT, {"rate_bps": RATE_BPS, "capacity_pkts": 0, "overhead_bytes": -ETHERNET_BYTES})
    return switch


def data(ip_bytes: int, dscp: int = 0) -> bytes:
    """A packet whose sender is behind a port of its own."""
    return frame(ip_bytes, payload_bytes=ip_bytes - IPV4_BYTES, tos=dscp << 2 | ECT0)


@dataclass
class Waits:
    """A packet of a plain model: its size, and what was before it when it came, and behind it when it left."""

    ip_bytes: int
    before_bytes: int
    behind_bytes: int = 0


def modelled(arrivals: list[tuple[int, int]]) -> list[Waits]:
    """A queue in virtual time, in which a byte takes a microsecond."""
    packets: list[Waits] = []
    queue: deque[Waits] = deque()
    now_us, free_us = 0, 0

    def serve(until_us: int) -> None:
        nonlocal free_us
        while queue and free_us <= until_us:
            leaving = queue.popleft()
            leaving.behind_bytes = sum(each.ip_bytes for each in queue)
            free_us += leaving.ip_bytes

    for gap_us, ip_bytes in arrivals:
        now_us += gap_us
        serve(now_us)
        packet = Waits(ip_bytes, sum(each.ip_bytes for each in queue))
        packets.append(packet)
        queue.append(packet)
        if free_us <= now_us:
            free_us = now_us
            serve(now_us)
    serve(10**12)
    return packets


ARRIVALS = st.lists(st.tuples(st.integers(0, 1200), st.integers(60, 1500)), min_size=1, max_size=60)


@given(arrivals=ARRIVALS, threshold_bytes=st.sampled_from([0, 250, 1000, 3000, 9000]))
@pytest.mark.parametrize("mark_at", ["head", "tail"])
def test_the_bytes_of_that_moment_mark(mark_at: MarkAt, arrivals: list[tuple[int, int]], threshold_bytes: int) -> None:
    switch = switch_with(threshold_bytes, mark_at)
    now_us = 0
    for gap_us, ip_bytes in arrivals:
        now_us += gap_us
        switch.receive(HERE, data(ip_bytes), now_us * 1000)
    out = switch.advance(10**12)
    marked = [packet[ETHERNET_BYTES + 1] & 3 == CE for port, packet, _ in out if port == OUT]
    levels = [packet[ETHERNET_BYTES + IPV4_BYTES + 4] & 0x7F for port, packet, _ in out if port == SENDER]
    depths = [each.before_bytes if mark_at == "tail" else each.behind_bytes for each in modelled(arrivals)]
    assert marked == [depth >= threshold_bytes for depth in depths]
    expected = [(depth - threshold_bytes) * LEVEL_PER_PKT / MEAN_BYTES for depth in depths if depth >= threshold_bytes]
    # Depths have 28 bits of fraction, thresholds four.
    assert len(levels) == len(expected)
    assert all(abs(level - min(127, wanted)) <= 1.7 for level, wanted in zip(levels, expected, strict=True))


@given(arrivals=ARRIVALS)
def test_without_the_setting_the_program_is_the_one_for_bmv2(arrivals: list[tuple[int, int]]) -> None:
    outputs = []
    for extended in (False, True):
        switch = switch_with(1000, "tail", now=False, extended=extended)
        now_us = 0
        for gap_us, ip_bytes in arrivals:
            now_us += gap_us
            switch.register_write("queue_average", OUT * 8, (now_us % 3 << 28).to_bytes(6, "big"))
            switch.receive(HERE, data(ip_bytes), now_us * 1000)
        outputs.append(switch.advance(10**12))
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize("mark_at", ["head", "tail"])
def test_the_average_sees_a_burst_too_late(mark_at: MarkAt) -> None:
    """The average marks none of ten packets that wait, and the bytes those that find a threshold of others."""
    for now, expected in ((False, 0), (True, 7)):
        switch = switch_with(3000, mark_at, now=now)
        for _ in range(11):
            switch.receive(HERE, data(1000), 0)
        sent = [packet for port, packet, _ in switch.advance(10**12) if port == OUT]
        assert sum(packet[ETHERNET_BYTES + 1] & 3 == CE for packet in sent) == expected


@pytest.mark.parametrize("classes", [False, True])
def test_source_quenches_have_a_queue_above_data_by_their_dscp(classes: bool) -> None:
    """Data goes with a DSCP of its own; a source quench keeps its precedence, which is 0, and has a class by that."""
    switch = switch_with(2000, "tail", classes=classes)
    switch.port_set(SENDER, {"rate_bps": RATE_BPS, "capacity_pkts": 0, "queues": 2})
    # The way back is full of data with the same DSCP.
    back = bytearray(data(1000, dscp=4))
    back[ETHERNET_BYTES + 12 : ETHERNET_BYTES + 20] = bytes([10, 0, 2, 2, 10, 0, 1, 1])
    for _ in range(20):
        switch.receive(OUT, bytes(back), 0)
    for _ in range(5):
        switch.receive(HERE, data(1000, dscp=4), 0)
    protocols = [packet[ETHERNET_BYTES + 9] for port, packet, _ in switch.advance(10**12) if port == SENDER]
    places = [place for place, protocol in enumerate(protocols) if protocol == 1]
    assert len(protocols) == 22
    assert places == ([1, 2] if classes else [20, 21])


@pytest.mark.parametrize("extended", [False, True])
@pytest.mark.parametrize("idle_us", [0, 1000, 3000, 3400, 10**9])
def test_a_source_quench_meets_the_average_that_another_packet_meets(extended: bool, idle_us: int) -> None:
    """Ingress decays the average of an idle queue: here by a half in 1 ms, from 80 packets to a limit of 8."""
    switch = switch_with(0, "tail", now=False, extended=extended)
    add(switch, "queue_profile", [("exact", bytes([SENDER])), ("exact", b"\0")], "use_profile", profile=2)
    halving_ms = FRACTION_ONE // (1000 << 8)
    parameters = {"weight": 1, "mean_transmission_q8_us": 1 << 8, "decay_rate": halving_ms}
    add(switch, "profile_parameters", [("exact", b"\x02")], "set_parameters", **parameters)
    key = [("exact", b"\x02"), ("range", (8 << 4).to_bytes(3, "big"), b"\xff\xff\xff")]
    arguments = {"level1_base": PROBABILITY_ONE, "drop": 1}
    add(switch, "arrival_decision.curve", key, "arrival_decision.set_segment", **arguments)
    switch.register_write("queue_average", SENDER * 8, (80 << 28).to_bytes(6, "big"))
    departed_us = 5_000_000
    switch.register_write("last_departure", SENDER * 8, departed_us.to_bytes(6, "big"))
    back = bytearray(data(100))
    back[ETHERNET_BYTES + 12 : ETHERNET_BYTES + 20] = bytes([10, 0, 2, 2, 10, 0, 1, 1])
    now_ns = (departed_us + idle_us) * 1000
    # A packet that leaves adds 2^-32 of its depth to the average: both find the same one.
    switch.receive(HERE, data(100), now_ns)
    switch.receive(OUT, bytes(back), now_ns)
    sent = [packet[ETHERNET_BYTES + 9] for port, packet, _ in switch.advance(now_ns + 10**9) if port == SENDER]
    assert sent == ([1, 17] if idle_us >= 3400 else [])
