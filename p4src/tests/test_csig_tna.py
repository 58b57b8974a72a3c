# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""csig_tna.p4 with any load, delay and queue, of which test_csig.py has one each."""

from __future__ import annotations

from math import exp

import pytest
from csig import (
    BANDWIDTH,
    BUCKET_BITS,
    CELL_BYTES,
    HOP_DELAY,
    MOST,
    PART,
    QUEUE_DELAY,
    SETTINGS,
    SMALLER_IS_WORSE,
    Tag,
    after,
    expected,
    filter_scales,
    read,
    switch_of,
    tagged,
)
from datacentre import RATE_BPS, RECEIVER
from hypothesis import given
from hypothesis import strategies as st

SHORT = 12
"""Windows of 4 us: a packet of 1500 bytes takes 1/66 of the filters' times."""
BRIDGE_BYTES, ETHERNET_BYTES = 6, 14


@given(
    wide=st.booleans(),
    kind=st.sampled_from(SMALLER_IS_WORSE),
    value=st.integers(0, MOST),
    bandwidth=st.one_of(st.just(SETTINGS["bandwidth"]), st.integers(0, (1 << 32) - 1)),
    packets=st.lists(st.tuples(st.integers(46, 1500), st.floats(0.3, 1)), min_size=5, max_size=30),
)
def test_available_bandwidth_is_what_the_filters_leave(
    wide: bool, kind: int, value: int, bandwidth: int, packets: list[tuple[int, float]]
) -> None:
    """The number is exactly the filter's, and the filter within a twentieth of the link from a sum that decays."""
    switch = switch_of("tna", SETTINGS | {"window_shift": SHORT, "bandwidth": bandwidth})
    name = "used_part" if kind == PART else "used_bandwidth"
    time_ns, scale = filter_scales(SHORT)[name]
    total, since_ns = 0.0, 0
    while since_ns < 4 * time_ns:
        for ip_bytes, part in packets:
            # The one before has left, so nothing waits.
            gap_ns = round(ip_bytes * 8e9 / RATE_BPS / part)
            switch.receive(tagged(None, ip_bytes))
            switch.wait(gap_ns)
            total = (total + ip_bytes) * exp(-gap_ns / time_ns)
            since_ns += gap_ns
    tag = Tag(wide, kind, value if wide else value >> BUCKET_BITS)
    _, found, _ = after(switch, tagged(tag, 500))
    total += 500 + (8 if wide else 4)
    used = switch.switch.filter_value(switch.name("filters", name), RECEIVER) >> scale
    most = 1 << 20 if kind == PART else bandwidth
    assert found == expected(tag, min(MOST, max(0, most - used)))
    assert switch.counter("port_csig_replaced") == int(found != tag)
    link = RATE_BPS / 8 * time_ns / 1e9
    full = 1 << 20 if kind == PART else SETTINGS["bandwidth"]
    assert used / full == pytest.approx(total / link, abs=0.05)


@given(shift=st.one_of(st.integers(0, 31), st.integers(0, 255)), rate_bps=st.integers(10**7, RATE_BPS))
def test_a_hop_delay_has_any_unit(shift: int, rate_bps: int) -> None:
    switch = switch_of("tna", SETTINGS | {"delay_shift": shift})
    switch.switch.port_set(RECEIVER, {"rate_bps": rate_bps, "capacity_pkts": 0})
    switch.wait(12345)
    start_ns, tag = switch.now_ns, Tag(True, HOP_DELAY, 0)
    for _ in range(3):
        switch.receive(tagged(tag))
    left = switch.wait(10**10)
    assert len(left) == 3
    # A packet is in egress when the one before it has been sent.
    for seen, egress_ns in zip(left, [start_ns, *(each.time_ns for each in left)], strict=False):
        assert read(seen.data)[1] == expected(tag, min(MOST, egress_ns - start_ns >> shift))


@given(
    packets=st.integers(1, 200),
    ip_bytes=st.integers(60, 1500),
    gbps=st.sampled_from([1, 10, 25, 40, 100]),
    shift=st.integers(0, 12),
    limit=st.sampled_from([0, 100, MOST]),
)
def test_a_queue_delay_is_that_of_its_cells(packets: int, ip_bytes: int, gbps: int, shift: int, limit: int) -> None:
    """Within one unit; and as the bytes would take, but for the last cell of each packet."""
    byte_ns = 8 / gbps
    tag = Tag(True, QUEUE_DELAY, limit)
    frame_bytes = ETHERNET_BYTES + 8 + ip_bytes + BRIDGE_BYTES
    cells = -(-frame_bytes // CELL_BYTES)
    settings = SETTINGS | {"byte_time": round(byte_ns * 2**32), "delay_shift": shift}
    switch = switch_of("tna", settings, most_cells=packets * cells)
    for _ in range(packets):
        switch.receive(tagged(tag, ip_bytes))
    left = switch.wait(10**9)
    assert len(left) == packets
    for number, seen in enumerate(left):
        waiting = packets - 1 - number if number else 0
        _, found, _ = read(seen.data)
        assert found is not None
        by_cells = waiting * cells * CELL_BYTES * byte_ns / 2**shift
        by_bytes = waiting * frame_bytes * byte_ns / 2**shift
        assert found.value == pytest.approx(max(limit, min(MOST, by_cells)), abs=1)
        assert found.value >= min(MOST, by_bytes) - 1
        assert found.locator == (SETTINGS["locator"] if found.value > limit else tag.locator)


def test_a_rest_counts_by_powers_of_two_of_the_time_constant() -> None:
    """The first packet after a rest sees the load of up to half a rest ago, the next ones see the rest of it."""
    switch = switch_of("tna", SETTINGS | {"window_shift": SHORT})
    time_ns, _ = filter_scales(SHORT)["used_part"]
    packets = round(4 * time_ns / 100)
    for _ in range(packets):
        switch.receive(tagged(None), 100)
    rest_ns = round(1.9 * time_ns)
    numbers = []
    for after_ns in (rest_ns, 100, 100, 100, 100, 100):
        switch.wait(after_ns)
        switch.receive(tagged(Tag(True, PART, MOST), 46))
        (seen,) = (each for each in switch.wait(50) if read(each.data)[1])
        tag = read(seen.data)[1]
        assert tag is not None
        numbers.append(1 - tag.value / (1 << 20))
    assert numbers[0] == pytest.approx(0.8 * exp(-1), abs=0.05)
    assert numbers[-1] == pytest.approx(0.8 * exp(-1.9), abs=0.05)


@pytest.mark.parametrize("kind", [BANDWIDTH, PART])
def test_a_link_that_is_overloaded_has_nothing_available(kind: int) -> None:
    """As one that sends more than its filter was told."""
    switch = switch_of("tna", SETTINGS | {"window_shift": SHORT, "bandwidth": 1})
    for name in ("used_bandwidth", "used_part"):
        setting = ("rate", 1e9, 1e9, 0)
        switch.switch.set_filter_config(switch.name("filters", name), RECEIVER, setting)
    for _ in range(100):
        switch.receive(tagged(None), 100)
    switch.wait(100)
    assert after(switch, tagged(Tag(True, kind, 5)))[1] == Tag(True, kind, 0, SETTINGS["locator"])
