# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""csig.p4: the numbers that a switch puts into tags, against the formulas written down in Python, and hostile tags."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

import pytest
from datacentre import ETHERNET_BYTES, RATE_BPS, RECEIVER, SENDER, Switch, frame
from hypothesis import given
from hypothesis import strategies as st

COMPACT, WIDE, VLAN, SERVICE_VLAN, IPV4, IPV6 = 0x9900, 0x88B5, 0x8100, 0x88A8, 0x0800, 0x86DD
BANDWIDTH, PART, HOP_DELAY, QUEUE_DELAY = range(4)
SMALLER_IS_WORSE = (BANDWIDTH, PART)
MOST = (1 << 20) - 1
BYTE_TIME = round(8e9 * 2**32 / RATE_BPS)
WINDOW_SHIFT, DELAY_SHIFT = 14, 7
SETTINGS = {
    "locator": 0x1234,
    "byte_time": BYTE_TIME,
    "bandwidth": RATE_BPS // 8_000_000,
    "window_shift": WINDOW_SHIFT,
    "delay_shift": DELAY_SHIFT,
    "overhead_bytes": 0,
    "limit_bytes": 0,
}
BUCKET_BITS = 15
"""The bucket of a number here: its first five bits."""
pytestmark = pytest.mark.parametrize("extended", [True, False], ids=["extended", "bmv2"])


@dataclass(frozen=True)
class Tag:
    """A CSIG tag, compact or wide."""

    wide: bool
    type: int
    value: int
    locator: int = 0x7F

    def encode(self) -> bytes:
        if self.wide:
            return struct.pack("!HI", self.locator, self.type << 28 | self.value << 8 | 0xA5)
        return struct.pack("!H", self.type << 13 | 1 << 12 | self.value << 7 | self.locator)

    @staticmethod
    def decode(wide: bool, data: bytes) -> Tag:
        if wide:
            locator, word = struct.unpack_from("!HI", data)
            assert word & 0xFF == 0xA5
            return Tag(True, word >> 28, word >> 8 & MOST, locator)
        (word,) = struct.unpack_from("!H", data)
        assert word >> 12 & 1 == 1
        return Tag(False, word >> 13, word >> 7 & 31, word & 127)


def tagged(tag: Tag | None, ip_bytes: int = 1000, vlans: tuple[int, ...] = (), **fields: Any) -> bytes:
    """A frame with these VLAN tags and a CSIG tag behind them."""
    plain = frame(bytes(ip_bytes - 20), 17, **fields)
    tags = b"".join(struct.pack("!HH", kind, 0x2000 + number) for number, kind in enumerate(vlans))
    if tag is not None:
        tags += struct.pack("!H", WIDE if tag.wide else COMPACT) + tag.encode()
    return plain[:12] + tags + plain[12:]


def read(data: bytes) -> tuple[tuple[int, ...], Tag | None, bytes]:
    """The VLANs of a frame, its CSIG tag, and the IP packet."""
    at, vlans, tag = 12, [], None
    (kind,) = struct.unpack_from("!H", data, at)
    while kind in {VLAN, SERVICE_VLAN}:
        vlans.append(kind)
        assert struct.unpack_from("!H", data, at + 2) == (0x2000 + len(vlans) - 1,)
        at += 4
        (kind,) = struct.unpack_from("!H", data, at)
    if kind in {COMPACT, WIDE}:
        tag = Tag.decode(kind == WIDE, data[at + 2 :])
        at += 8 if kind == WIDE else 4
        (kind,) = struct.unpack_from("!H", data, at)
    assert kind in {IPV4, IPV6}
    return tuple(vlans), tag, data[at + 2 :]


def switch_of(extended: bool, settings: dict[str, int] | None = SETTINGS, *, trusted: bool = True) -> Switch:
    """A switch with these settings of the receiver's port, or none, whose buckets are the first bits of a number."""
    switch = Switch("csig", settings or {}, extended=extended)
    if settings is None:
        switch.switch.table_delete("CsigIngress.csig_departures", [("exact", bytes([RECEIVER]))], 0)
    if trusted:
        switch.add("csig_arrivals", [("exact", bytes([SENDER]))], "trust_csig", [])
    for kind in range(4):
        for bucket in range(32):
            low = bucket << BUCKET_BITS
            key = [("exact", bytes([kind])), ("range", low.to_bytes(3, "big"), (low + 0x7FFF).to_bytes(3, "big"))]
            row = ("action", "CsigEgress.update_compact.use_bucket", [bytes([bucket])])
            switch.switch.table_insert("CsigEgress.update_compact.csig_buckets", key, 1, row)
    return switch


def load(switch: Switch, average_bytes: int) -> None:
    """The port's average, in the window of this moment, whose time has no parts of a microsecond."""
    assert switch.now_ns % 1000 == 0
    number = switch.now_ns >> WINDOW_SHIFT
    for name, value in (("window_number", number), ("window_bytes", 0), ("average_bytes", average_bytes)):
        switch.switch.register_write(name, RECEIVER, value.to_bytes(8, "big"))


def own(kind: int, average_bytes: int = 0, delay_ns: int = 0, queue_bytes: int = 0) -> int:
    """The port's number."""
    unused = max(0, (1 << 20) - (average_bytes * BYTE_TIME >> WINDOW_SHIFT + 12))
    numbers = {
        BANDWIDTH: SETTINGS["bandwidth"] * unused >> 20,
        PART: unused,
        HOP_DELAY: delay_ns >> DELAY_SHIFT,
        QUEUE_DELAY: queue_bytes * BYTE_TIME >> DELAY_SHIFT + 32,
    }
    return min(MOST, numbers[kind])


def expected(tag: Tag, number: int) -> Tag:
    """The tag behind a switch with that number."""
    number, locator = (number, SETTINGS["locator"]) if tag.wide else (number >> BUCKET_BITS, SETTINGS["locator"] & 127)
    worse = number < tag.value if tag.type in SMALLER_IS_WORSE else number > tag.value
    return Tag(tag.wide, tag.type, number, locator) if worse else tag


def after(switch: Switch, data: bytes) -> tuple[tuple[int, ...], Tag | None, bytes]:
    switch.receive(data)
    (seen,) = switch.wait(10**6)
    return read(seen.data)


@given(
    wide=st.booleans(),
    kind=st.sampled_from(SMALLER_IS_WORSE),
    value=st.integers(0, MOST),
    average_bytes=st.one_of(st.integers(0, 220_000), st.integers(0, (1 << 64) - 1)),
)
def test_available_bandwidth_is_what_the_average_leaves(
    extended: bool, wide: bool, kind: int, value: int, average_bytes: int
) -> None:
    switch = switch_of(extended)
    switch.wait(100_000)
    load(switch, average_bytes)
    tag = Tag(wide, kind, value if wide else value >> BUCKET_BITS)
    _, found, ip = after(switch, tagged(tag))
    assert found == expected(tag, own(kind, average_bytes))
    assert switch.counter("port_csig_replaced") == int(found != tag)
    assert len(ip) == 1000


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("ip_bytes", [46, 300, 1000])
def test_a_constant_load_is_known_within_a_twentieth_of_the_link(extended: bool, ip_bytes: int, part: float) -> None:
    """Windows of 16 us, in which 100 Gb/s carry 205 packets of 1000 bytes. The link is Ethernet: 38 bytes a packet."""
    switch = switch_of(extended, SETTINGS | {"overhead_bytes": 38})
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


def test_delays_are_those_of_the_packets_own_queue(extended: bool) -> None:
    """Forty packets at once, 80 ns each: the last waits for 39 others."""
    for kind in (HOP_DELAY, QUEUE_DELAY):
        switch = switch_of(extended)
        switch.wait(1 << 20)
        tag = Tag(True, kind, 0)
        tag_bytes = 8
        for _ in range(40):
            switch.receive(tagged(tag, 1000 - tag_bytes))
        for number, seen in enumerate(switch.wait(10**6)):
            _, found, _ = read(seen.data)
            delay_ns = 80 * number
            if not extended:
                start_ns = 1 << 20
                delay_ns = (start_ns + delay_ns) // 1000 * 1000 - start_ns // 1000 * 1000
            # The first left before the others came.
            queue_bytes = 1000 * (39 - number if number else 0)
            assert found == expected(tag, own(kind, 0, delay_ns, queue_bytes)), number


@pytest.mark.parametrize("shift", [87, 127, 200, 224, 240, 255])
def test_units_that_are_longer_than_any_delay_give_none(extended: bool, shift: int) -> None:
    switch = switch_of(extended, SETTINGS | {"delay_shift": shift, "window_shift": shift})
    tags = [Tag(True, kind, 0) for kind in (HOP_DELAY, QUEUE_DELAY)] + [Tag(True, PART, MOST)]
    for tag in tags * 20:
        switch.receive(tagged(tag))
    assert {read(seen.data)[1] for seen in switch.wait(10**6)} == set(tags)


def test_a_queue_that_the_program_counts_has_a_limit(extended: bool) -> None:
    switch = switch_of(extended, SETTINGS | {"limit_bytes": 5000})
    for _ in range(20):
        switch.receive(tagged(None))
    sent = len(switch.wait(10**6))
    # One is being sent at once, and does not wait.
    assert sent == 6
    assert switch.counter("port_dropped_forced") == 20 - sent
    assert after(switch, tagged(Tag(True, QUEUE_DELAY, 0)))[1] == Tag(True, QUEUE_DELAY, 0)


def test_a_tag_that_was_removed_is_not_sent(extended: bool) -> None:
    for vlans, vlan_bytes in (((), 0), ((VLAN,), 4), ((VLAN, SERVICE_VLAN), 8)):
        switch = switch_of(extended, SETTINGS | {"overhead_bytes": 38}, trusted=False)
        switch.wait(1 << 20)
        assert after(switch, tagged(Tag(True, PART, 5), 100, vlans))[1] is None
        assert switch.register("window_bytes") == 138 + vlan_bytes


@pytest.mark.parametrize("vlans", [(), (VLAN,), (SERVICE_VLAN, VLAN), (SERVICE_VLAN, SERVICE_VLAN)])
@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("v6", [False, True])
def test_a_tag_is_updated_passed_or_removed_behind_any_vlans(
    extended: bool, vlans: tuple[int, ...], wide: bool, v6: bool
) -> None:
    tag = Tag(wide, PART, MOST if wide else 31)
    data = tagged(tag, vlans=vlans)
    if v6:
        at = data.index(b"\x08\x00\x45")
        header = struct.pack("!IHBB", 6 << 28, 100, 17, 64)
        ends = bytes.fromhex("20010db8000100000000000000000001") + bytes.fromhex("20010db8000200000000000000000002")
        data = data[:at] + b"\x86\xdd" + header + ends + bytes(100)
    for settings, trusted, departs in (
        (SETTINGS, True, "updated"),
        (SETTINGS, False, None),
        (None, True, None),
        ("pass", True, "passed"),
    ):
        switch = switch_of(extended, settings if isinstance(settings, dict) else None, trusted=trusted)
        route = [("lpm", bytes.fromhex("20010db8000200000000000000000000"), 48)]
        mac = [bytes([RECEIVER]), bytes(6), bytes(6)]
        switch.add("router.routing.ipv6_route", route, "router.routing.forward", mac)
        if settings == "pass":
            switch.add("csig_departures", [("exact", bytes([RECEIVER]))], "pass_csig", [])
        load(switch, 100_000)
        found_vlans, found, ip = after(switch, data)
        assert found_vlans == vlans
        wanted = {"updated": expected(tag, own(PART, 100_000)), "passed": tag, None: None}
        assert found == wanted[departs]
        assert found != tag or departs == "passed"
        assert len(ip) == (140 if v6 else 1000)
        assert switch.counter("port_csig_distrusted", SENDER) == int(not trusted)
        assert switch.counter("port_csig_stripped") == int(settings is None)


@pytest.mark.parametrize("kind", range(16))
@pytest.mark.parametrize("wide", [False, True])
def test_a_type_that_is_not_known_is_left_alone_and_counted(extended: bool, kind: int, wide: bool) -> None:
    if not wide and kind > 7:
        return
    switch = switch_of(extended)
    switch.switch.table_delete(
        "CsigEgress.update_compact.csig_buckets",
        [("exact", b"\1"), ("range", (31 << 15).to_bytes(3, "big"), MOST.to_bytes(3, "big"))],
        1,
    )
    # No load, so the part is all, and its bucket is the one that is missing.
    tag = Tag(wide, kind, MOST if wide else 31)
    _, found, _ = after(switch, tagged(tag))
    is_known = kind < 4 if wide else kind < 4 and kind != PART
    assert switch.counter("port_csig_unknown") == int(not is_known)
    assert found == (expected(tag, own(kind)) if is_known else tag)


def test_packets_without_a_tag_get_none_and_count(extended: bool) -> None:
    switch = switch_of(extended)
    switch.wait(1 << 20)
    assert after(switch, tagged(None))[1] is None
    assert switch.register("window_bytes") == 1000


@given(
    data=st.binary(max_size=80),
    kind=st.sampled_from((COMPACT, WIDE, VLAN, SERVICE_VLAN)),
    cut=st.integers(0, 80),
)
def test_what_is_behind_tags_may_be_anything(extended: bool, data: bytes, kind: int, cut: int) -> None:
    switch = switch_of(extended)
    macs = bytes.fromhex("020000000101020000000001")
    switch.receive(macs + struct.pack("!H", kind) + data)
    whole = tagged(Tag(True, PART, 5), 60, (SERVICE_VLAN, VLAN))
    switch.receive(whole[:cut])
    assert all(read(each.data) for each in switch.wait(10**6))


def test_one_tag_of_each_kind_and_two_vlans_are_the_most(extended: bool) -> None:
    switch = switch_of(extended)
    tag = struct.pack("!H", COMPACT) + Tag(False, PART, 31).encode()
    plain = frame(bytes(100), 17)
    for front in (tag + tag, tag + struct.pack("!HH", VLAN, 1), struct.pack("!HH", VLAN, 1) * 3):
        switch.receive(plain[:12] + front + plain[12:])
    assert switch.wait(10**6) == []
    assert len(plain) > ETHERNET_BYTES
