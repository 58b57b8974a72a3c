# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The packets that the programs refuse, for all lengths of header and packet; RED's draw and queues of quench.p4."""

from __future__ import annotations

from math import sqrt

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from quench_switch import VirtualSwitch
from virtual import (
    CE,
    ECT0,
    ETHERNET_BYTES,
    FRACTION_ONE,
    IPV4_BYTES,
    MAX_IP_BYTES,
    PROBABILITY_ONE,
    add,
    frame,
    switch_with_route,
)

DRAW_ONE = 1 << 52


@pytest.mark.parametrize("program", ["quench", "quench_tna"])
def test_a_packet_holds_its_header_and_a_frame_its_packet(program: str) -> None:
    """RFC 1812 section 5.2.2. On Tofino ingress does not know how long a frame is."""
    switch = switch_with_route(program)
    counters = [each["name"] for each in switch.program()["counters"] if each["name"].endswith("port_dropped_invalid")]
    (counter,) = counters
    refused, wrong = 0, []
    for time_us, (header_bytes, total_length) in enumerate(
        (header, total) for header in range(20, 64, 4) for total in (*range(130), 255, 256, 1500, 0x8000, 0xFFFF)
    ):
        whole = frame(total_length, header_bytes=header_bytes)
        is_right = total_length >= header_bytes
        if program == "quench":
            is_right = is_right and total_length <= len(whole) - ETHERNET_BYTES
        switch.receive(1, whole, time_us * 1000)
        sent = [data for port, data, _ in switch.advance((time_us + 1) * 1000) if port == 2]
        refused += not is_right
        if len(sent) != is_right:
            wrong.append((header_bytes, total_length))
    assert wrong == []
    assert switch.counter_read(counter, 1)[0] == refused


def drawing(mean_bytes: int, probability: int, *, wait: bool) -> VirtualSwitch:
    """A queue of quench.p4 whose packets are marked with this probability, whatever the average, in byte mode."""
    switch = switch_with_route("quench")
    add(switch, "queue_profile", [("exact", b"\x02"), ("exact", b"\0")], "use_profile", profile=1)
    parameters = {"weight": 1, "level1_codepoint": CE, "level2_codepoint": CE, "wait": int(wait)}
    per_byte = round(FRACTION_ONE / mean_bytes)
    add(
        switch, "profile_parameters", [("exact", b"\x01")], "set_parameters", count_per_byte=per_byte, **parameters
    )  # fmt: skip
    for pipeline in ("arrival", "departure"):
        key = [("exact", b"\x01"), ("range", b"\0", b"\xff\xff\xff")]
        add(
            switch, f"{pipeline}_decision.curve", key, f"{pipeline}_decision.set_segment", level1_base=probability
        )  # fmt: skip
    return switch


MEANS = st.integers(40, 1500)
SIZES = st.one_of(st.integers(28, 1500), st.integers(28, MAX_IP_BYTES))
PROBABILITIES = st.one_of(st.integers(1, PROBABILITY_ONE - 1), st.integers(PROBABILITY_ONE // 100, PROBABILITY_ONE - 1))


@given(mean_bytes=MEANS, sizes=st.lists(SIZES, min_size=1, max_size=3), probability=PROBABILITIES, wait=st.booleans())
# 256 times the probability of 1, and a little more.
@example(mean_bytes=40, sizes=[20500], probability=PROBABILITY_ONE // 2, wait=False)
@example(mean_bytes=40, sizes=[65000], probability=round(PROBABILITY_ONE * 256.1 * 40 / 65000), wait=True)
@example(mean_bytes=40, sizes=[65000], probability=round(PROBABILITY_ONE * 512.1 * 40 / 65000), wait=False)
@example(mean_bytes=1500, sizes=[28], probability=1, wait=True)
@example(mean_bytes=1000, sizes=[1000], probability=PROBABILITY_ONE // 8, wait=True)
def test_the_draw_is_that_of_exact_numbers(mean_bytes: int, sizes: list[int], probability: int, wait: bool) -> None:
    """Each packet is selected with own / (most - passed), between what is never and what is always selected."""
    switch = drawing(mean_bytes, probability, wait=wait)
    since, counting, excess, variance = 0, False, 0.0, 0.0
    for number in range(60):
        size = sizes[number % len(sizes)]
        switch.receive(1, frame(size, payload_bytes=size - IPV4_BYTES, tos=ECT0), number * 10**6)
        ((_, data, _),) = (each for each in switch.advance((number + 1) * 10**6) if each[0] == 2)
        selected = data[ETHERNET_BYTES + 1] & 3 == CE

        # Python's numbers have no width; the increment is rounded as in the program.
        increment = (size * round(FRACTION_ONE / mean_bytes)) >> 20
        since += increment
        reached, own = since * probability, increment * probability
        passed = reached if wait else reached - own
        least, most = (DRAW_ONE, 2 * DRAW_ONE) if wait else (0, DRAW_ONE)
        chance = 1.0 if passed >= most else min(1.0, own / (most - passed))
        if not counting or passed < least:
            chance = 0.0
        if chance in (0.0, 1.0):
            assert selected == bool(chance), f"packet {number} of {size} bytes: {chance}"
        excess += selected - chance
        variance += chance * (1 - chance)
        since, counting = 0 if selected else since, True
    assert abs(excess) <= 7 * sqrt(variance) + 3, "as often as its chance says"


@pytest.mark.parametrize("wait", [False, True])
def test_a_small_probability_chooses_at_last(wait: bool) -> None:
    """2^-24 of a mean packet: a gap of up to 2^25 of them, 20 000 packets of 65535 bytes where the mean is 40."""
    switch = drawing(40, PROBABILITY_ONE >> 24, wait=wait)
    data = frame(MAX_IP_BYTES, payload_bytes=MAX_IP_BYTES - IPV4_BYTES, tos=ECT0)
    per_packet = MAX_IP_BYTES / 40 / 2**24
    marks, number, last = 0, 0, 0
    while marks < 2:
        number += 1
        switch.receive(1, data, number * 10**6)
        ((_, sent, _),) = (each for each in switch.advance(number * 10**6 + 10**5) if each[0] == 2)
        if sent[ETHERNET_BYTES + 1] & 3 == CE:
            if marks:
                gap = (number - last) * per_packet
                assert (0.99 if wait else 0) <= gap <= (2.01 if wait else 1.01)
            marks, last = marks + 1, number
        assert (number - last) * per_packet < 3, "nothing is selected any more"


@pytest.mark.parametrize(("scheduler", "bound_pkts"), [("scfq", 1), ("drr", 1.24)])
def test_a_dscp_goes_into_its_queue(scheduler: str, bound_pkts: float) -> None:
    """The bounds are those of softswitch/python/tests/native/test_queues.py."""
    switch = switch_with_route("quench")
    expedited, share, size = 46, 0.8, 986
    add(switch, "dscp_queue", [("ternary", bytes([expedited]), b"\x3f")], "use_queue", queue=1)
    weights = {1: share, 0: 1 - share}
    switch.port_set(2, {"rate_bps": 8_000_000, "capacity_pkts": 0, "scheduler": scheduler, "weights": weights})
    for _ in range(200):
        for dscp in (0, expedited):
            switch.receive(1, frame(size, payload_bytes=size - IPV4_BYTES, tos=dscp << 2), 0)
    dscps = [data[ETHERNET_BYTES + 1] >> 2 for _, data, _ in switch.advance(200_000_000)]
    assert len(dscps) == 200
    sent = 0
    for count, dscp in enumerate(dscps, start=1):
        sent += dscp == expedited
        assert abs(sent - share * count) <= bound_pkts + 1e-9, f"{sent} of {count} packets"
