# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""CSIG's tags, the numbers that csig.p4 and csig_tna.p4 put into them, and switches with either program."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from math import log2
from typing import Any

from datacentre import RATE_BPS, RECEIVER, SENDER, Switch, frame

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
LINK = 1
CELL_BYTES, LOW_CELLS_BITS = 80, 9
SAMPLE_SHIFT = 6
"""csig/tna/types.p4 has it, too."""


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


def switch_of(
    target: str, settings: dict[str, int] | None = SETTINGS, *, trusted: bool = True, most_cells: int = 0
) -> Switch:
    """A switch with these settings of the receiver's port, or none, whose buckets are the first bits of a number."""
    if target == "tna":
        switch = tofino_switch(settings, most_cells)
    else:
        switch = Switch("csig", settings or {}, extended=target == "extended")
    if settings is None:
        switch.remove("csig_departures", [("exact", bytes([RECEIVER]))])
    if trusted:
        switch.add("csig_arrivals", [("exact", bytes([SENDER]))], "trust_csig", [])
    for kind in range(4):
        for bucket in range(32):
            switch.add("csig_buckets", bucket_key(kind, bucket), "use_bucket", [bytes([bucket])], 1)
    return switch


def bucket_key(kind: int, bucket: int) -> list[Any]:
    low = bucket << BUCKET_BITS
    return [("exact", bytes([kind])), ("range", low.to_bytes(3, "big"), (low + 0x7FFF).to_bytes(3, "big"))]


def filter_scales(window_shift: int) -> dict[str, tuple[float, int]]:
    """The time constants in ns, near to two windows, and the scales with which filters give numbers of a tag."""
    bandwidth = window_shift - 3
    part = round(log2(RATE_BPS / 1e9 * 2 ** (window_shift + 1) / 2**17))
    return {
        "used_bandwidth": (2**bandwidth * 15.625, bandwidth),
        "used_part": (2 ** (part + 17) * 1e9 / RATE_BPS, part),
    }


def tofino_switch(settings: dict[str, int] | None, most_cells: int) -> Switch:
    """The same settings as rows and filters of csig_tna.p4, for queues of up to so many cells."""
    given = dict(settings or SETTINGS)
    byte_time, limit = given.pop("byte_time"), given.pop("limit_bytes")
    assert limit == 0, "the chip's traffic manager has the limit"
    filters = filter_scales(given.pop("window_shift"))
    switch = Switch("csig_tna", given | {"link": LINK}, extended=True)
    for name, (time_ns, scale) in filters.items():
        switch.switch.set_filter_config(switch.name("filters", name), RECEIVER, ("rate", time_ns, time_ns, scale))
    unit = 1 << 32 + given["delay_shift"]
    for low in range(min(most_cells, (1 << LOW_CELLS_BITS) - 1) + 1):
        add_cells(switch, "low", low, round(low * CELL_BYTES * byte_time / unit))
    for high in range((most_cells >> LOW_CELLS_BITS) + 1):
        add_cells(switch, "high", high, round((high << LOW_CELLS_BITS) * CELL_BYTES * byte_time / unit))
    return switch


def add_cells(switch: Switch, digit: str, cells: int, number: int) -> None:
    key = [("exact", bytes([LINK])), ("exact", cells.to_bytes(2, "big"))]
    switch.add(f"{digit}_cells", key, f"use_{digit}", [number.to_bytes(4, "big")])


def sent_bytes(switch: Switch) -> int:
    """The bytes that the port has sent, if that was in one window."""
    if switch.program == "csig":
        return switch.register("window_bytes")
    return switch.switch.filter_value(switch.name("filters", "used_part"), RECEIVER) >> SAMPLE_SHIFT


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
