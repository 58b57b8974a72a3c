# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The numbers that csig.p4 puts into tags, against the formulas written down in Python, and hostile tags.

Where ``target`` is "tna" it is csig_tna.p4; test_csig_tna.py has what differs there.
"""

from __future__ import annotations

import struct

import pytest
from csig import (
    BANDWIDTH,
    BUCKET_BITS,
    CELL_BYTES,
    COMPACT,
    HOP_DELAY,
    MOST,
    PART,
    QUEUE_DELAY,
    SERVICE_VLAN,
    SETTINGS,
    SMALLER_IS_WORSE,
    VLAN,
    WIDE,
    WINDOW_SHIFT,
    Tag,
    after,
    bucket_key,
    expected,
    own,
    read,
    sent_bytes,
    switch_of,
    tagged,
)
from datacentre import ETHERNET_BYTES, RATE_BPS, RECEIVER, SENDER, Switch, frame
from hypothesis import given
from hypothesis import strategies as st

V1MODEL = pytest.mark.parametrize("target", ["extended", "bmv2"])
ALL = pytest.mark.parametrize("target", ["extended", "bmv2", "tna"])
MOST_CELLS = 1023
LONG = SETTINGS | {"window_shift": 20}
"""Windows of which one packet is no part."""


def load(switch: Switch, average_bytes: int) -> None:
    """The port's average, in the window of this moment, whose time has no parts of a microsecond."""
    assert switch.now_ns % 1000 == 0
    number = switch.now_ns >> WINDOW_SHIFT
    for name, value in (("window_number", number), ("window_bytes", 0), ("average_bytes", average_bytes)):
        switch.switch.register_write(name, RECEIVER, value.to_bytes(8, "big"))


@V1MODEL
@given(
    wide=st.booleans(),
    kind=st.sampled_from(SMALLER_IS_WORSE),
    value=st.integers(0, MOST),
    average_bytes=st.one_of(st.integers(0, 220_000), st.integers(0, (1 << 64) - 1)),
)
def test_available_bandwidth_is_what_the_average_leaves(
    target: str, wide: bool, kind: int, value: int, average_bytes: int
) -> None:
    switch = switch_of(target)
    switch.wait(100_000)
    load(switch, average_bytes)
    tag = Tag(wide, kind, value if wide else value >> BUCKET_BITS)
    _, found, ip = after(switch, tagged(tag))
    assert found == expected(tag, own(kind, average_bytes))
    assert switch.counter("port_csig_replaced") == int(found != tag)
    assert len(ip) == 1000


@ALL
@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("ip_bytes", [46, 300, 1000])
def test_a_constant_load_is_known_within_a_twentieth_of_the_link(target: str, ip_bytes: int, part: float) -> None:
    """Windows of 16 us, in which 100 Gb/s carry 205 packets of 1000 bytes. The link is Ethernet: 38 bytes a packet."""
    switch = switch_of(target, SETTINGS | {"overhead_bytes": 38})
    switch.switch.port_set(RECEIVER, {"rate_bps": RATE_BPS, "capacity_pkts": 0, "overhead_bytes": 38 - ETHERNET_BYTES})
    gap_ns = (ip_bytes + 38) * 8e9 / RATE_BPS / part
    for number in range(int((10 << WINDOW_SHIFT) / gap_ns)):
        switch.receive(tagged(None, ip_bytes), round((number + 1) * gap_ns) - round(number * gap_ns))
    switch.wait(0)
    # The packet that is being sent leaves first.
    switch.seen.clear()
    switch.receive(tagged(Tag(True, PART, MOST)))
    (seen,) = (each for each in switch.wait(10**5) if read(each.data)[1])
    _, tag, _ = read(seen.data)
    assert tag is not None
    assert tag.value / (1 << 20) == pytest.approx(1 - part, abs=0.05)
    # The load is over: each window halves the average.
    switch.wait(100 << WINDOW_SHIFT)
    assert after(switch, tagged(Tag(True, PART, 0x80000)))[1] == Tag(True, PART, 0x80000)


@ALL
def test_delays_are_those_of_the_packets_own_queue(target: str) -> None:
    """Forty packets at once, 80 ns each: the last waits for 39 others."""
    for kind in (HOP_DELAY, QUEUE_DELAY):
        switch = switch_of(target, most_cells=MOST_CELLS)
        switch.wait(1 << 20)
        tag = Tag(True, kind, 0)
        tag_bytes = 8
        for _ in range(40):
            switch.receive(tagged(tag, 1000 - tag_bytes))
        for number, seen in enumerate(switch.wait(10**6)):
            _, found, _ = read(seen.data)
            delay_ns = 80 * number
            if target == "bmv2":
                start_ns = 1 << 20
                delay_ns = (start_ns + delay_ns) // 1000 * 1000 - start_ns // 1000 * 1000
            # The first left before the others came.
            waiting = 39 - number if number else 0
            if target == "tna" and kind == QUEUE_DELAY:
                # A frame of 1014 bytes, and 6 for egress.
                assert found is not None
                assert found.value == pytest.approx(own(kind, queue_bytes=13 * CELL_BYTES * waiting), abs=1), number
            else:
                assert found == expected(tag, own(kind, 0, delay_ns, 1000 * waiting)), number


@ALL
@pytest.mark.parametrize("shift", [87, 127, 200, 224, 240, 255])
def test_units_that_are_longer_than_any_delay_give_none(target: str, shift: int) -> None:
    window_shift = WINDOW_SHIFT if target == "tna" else shift
    settings = SETTINGS | {"delay_shift": shift, "window_shift": window_shift}
    switch = switch_of(target, settings, most_cells=MOST_CELLS)
    tags = [Tag(True, kind, 0) for kind in (HOP_DELAY, QUEUE_DELAY)]
    if target != "tna":
        tags.append(Tag(True, PART, MOST))
    for tag in tags * 20:
        switch.receive(tagged(tag))
    assert {read(seen.data)[1] for seen in switch.wait(10**6)} == set(tags)


@V1MODEL
def test_a_queue_that_the_program_counts_has_a_limit(target: str) -> None:
    switch = switch_of(target, SETTINGS | {"limit_bytes": 5000})
    for _ in range(20):
        switch.receive(tagged(None))
    sent = len(switch.wait(10**6))
    # One is being sent at once, and does not wait.
    assert sent == 6
    assert switch.counter("port_dropped_forced") == 20 - sent
    assert after(switch, tagged(Tag(True, QUEUE_DELAY, 0)))[1] == Tag(True, QUEUE_DELAY, 0)


@ALL
def test_a_tag_that_was_removed_is_not_sent(target: str) -> None:
    for vlans, vlan_bytes in (((), 0), ((VLAN,), 4), ((VLAN, SERVICE_VLAN), 8)):
        switch = switch_of(target, SETTINGS | {"overhead_bytes": 38}, trusted=False)
        switch.wait(1 << 20)
        assert after(switch, tagged(Tag(True, PART, 5), 100, vlans))[1] is None
        assert sent_bytes(switch) == 138 + vlan_bytes


@ALL
@pytest.mark.parametrize("vlans", [(), (VLAN,), (SERVICE_VLAN, VLAN), (SERVICE_VLAN, SERVICE_VLAN)])
@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("v6", [False, True])
def test_a_tag_is_updated_passed_or_removed_behind_any_vlans(
    target: str, vlans: tuple[int, ...], wide: bool, v6: bool
) -> None:
    tag = Tag(wide, BANDWIDTH, MOST if wide else 31)
    data = tagged(tag, vlans=vlans)
    if v6:
        at = data.index(b"\x08\x00\x45")
        header = struct.pack("!IHBB", 6 << 28, 100, 17, 64)
        ends = bytes.fromhex("20010db8000100000000000000000001") + bytes.fromhex("20010db8000200000000000000000002")
        data = data[:at] + b"\x86\xdd" + header + ends + bytes(100)
    for settings, trusted, departs in (
        (LONG, True, "updated"),
        (LONG, False, None),
        (None, True, None),
        ("pass", True, "passed"),
    ):
        switch = switch_of(target, settings if isinstance(settings, dict) else None, trusted=trusted)
        route = [("lpm", bytes.fromhex("20010db8000200000000000000000000"), 48)]
        mac = [bytes([RECEIVER]), bytes(6), bytes(6)]
        switch.add("routing.ipv6_route", route, "routing.forward", mac)
        if settings == "pass":
            switch.add("csig_departures", [("exact", bytes([RECEIVER]))], "pass_csig", [])
        found_vlans, found, ip = after(switch, data)
        assert found_vlans == vlans
        wanted = {"updated": expected(tag, own(BANDWIDTH)), "passed": tag, None: None}
        assert found == wanted[departs]
        assert found != tag or departs == "passed"
        assert len(ip) == (140 if v6 else 1000)
        assert switch.counter("port_csig_distrusted", SENDER) == int(not trusted)
        assert switch.counter("port_csig_stripped") == int(settings is None)


@ALL
@pytest.mark.parametrize("kind", range(16))
@pytest.mark.parametrize("wide", [False, True])
def test_a_type_that_is_not_known_is_left_alone_and_counted(target: str, kind: int, wide: bool) -> None:
    if not wide and kind > 7:
        return
    switch = switch_of(target, LONG)
    switch.remove("csig_buckets", bucket_key(PART, 31), 1)
    # Nearly no load, so the part is nearly all, and its bucket is the one that is missing.
    tag = Tag(wide, kind, MOST - 64 if wide else 31)
    _, found, _ = after(switch, tagged(tag))
    is_known = kind < 4 if wide else kind < 4 and kind != PART
    assert switch.counter("port_csig_unknown") == int(not is_known)
    assert found == (expected(tag, own(kind)) if is_known else tag)


@ALL
def test_packets_without_a_tag_get_none_and_count(target: str) -> None:
    switch = switch_of(target)
    switch.wait(1 << 20)
    assert after(switch, tagged(None))[1] is None
    assert sent_bytes(switch) == 1000


@ALL
@given(
    data=st.binary(max_size=80),
    kind=st.sampled_from((COMPACT, WIDE, VLAN, SERVICE_VLAN)),
    cut=st.integers(0, 80),
)
def test_what_is_behind_tags_may_be_anything(target: str, data: bytes, kind: int, cut: int) -> None:
    switch = switch_of(target)
    macs = bytes.fromhex("020000000101020000000001")
    switch.receive(macs + struct.pack("!H", kind) + data)
    whole = tagged(Tag(True, PART, 5), 60, (SERVICE_VLAN, VLAN))
    switch.receive(whole[:cut])
    assert all(read(each.data) for each in switch.wait(10**6))


@ALL
def test_one_tag_of_each_kind_and_two_vlans_are_the_most(target: str) -> None:
    switch = switch_of(target)
    tag = struct.pack("!H", COMPACT) + Tag(False, PART, 31).encode()
    plain = frame(bytes(100), 17)
    for front in (tag + tag, tag + struct.pack("!HH", VLAN, 1), struct.pack("!HH", VLAN, 1) * 3):
        switch.receive(plain[:12] + front + plain[12:])
    assert switch.wait(10**6) == []
    assert len(plain) > ETHERNET_BYTES
