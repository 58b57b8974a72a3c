# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0

import struct
from ipaddress import IPv4Address

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quench.isq import Ineligible, Limiter, NotEligibleError, RateLimit, source_quench

ROUTER = IPv4Address("10.0.0.254")
MACS = bytes.fromhex("000000000002 000000000001")
TCP, UDP, ICMP = 6, 17, 1


def ipv4(
    protocol: int = TCP,
    payload: bytes = bytes(range(100)),
    source: str = "10.0.1.1",
    destination: str = "10.0.2.2",
    tos: int = 0,
    fragment: int = 0,
    options: bytes = b"",
    macs: bytes = MACS,
) -> bytes:
    header = struct.pack(
        "!BBHHHBBH4s4s",
        0x45 + len(options) // 4,
        tos,
        20 + len(options) + len(payload),
        7,
        fragment,
        63,
        protocol,
        0,
        IPv4Address(source).packed,
        IPv4Address(destination).packed,
    )
    checksum = 0xFFFF - ones_complement_sum(header + options)
    header = header[:10] + checksum.to_bytes(2, "big") + header[12:]
    return macs + b"\x08\x00" + header + options + payload


def ones_complement_sum(data: bytes) -> int:
    total = sum(int.from_bytes(data[i : i + 2].ljust(2, b"\0"), "big") for i in range(0, len(data), 2))
    return total % 0xFFFF


@pytest.mark.parametrize(
    ("marked", "level", "octet"), [(True, 0, 0x80), (False, 0, 0), (True, 127, 0xFF), (False, 5, 5)]
)
def test_bytes_of_the_message(marked: bool, level: int, octet: int) -> None:
    frame = ipv4(tos=0xB9)
    isq = source_quench(frame, marked=marked, router=ROUTER, level=level)
    ip, icmp, quoted = isq[14:34], isq[34:42], isq[42:]
    assert len(isq) == 14 + 56
    assert isq[:14] == frame[6:12] + frame[:6] + b"\x08\x00"
    assert ip[:2] == bytes([0x45, 0xA0])
    assert ip[2:4] == (56).to_bytes(2, "big")
    assert ip[8] == 255
    assert ip[9] == ICMP
    assert (ip[12:16], ip[16:20]) == (ROUTER.packed, IPv4Address("10.0.1.1").packed)
    assert icmp[:2] == bytes([4, 0])
    assert icmp[4:] == bytes([octet, 0, 0, 0])
    assert quoted == frame[14 : 14 + 28]
    assert ones_complement_sum(ip) == 0
    assert ones_complement_sum(isq[34:]) == 0


def test_options_are_quoted_whole() -> None:
    frame = ipv4(options=b"\x01" * 8)
    assert source_quench(frame, marked=True, router=ROUTER)[42:] == frame[14 : 14 + 28 + 8]


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        (MACS + b"\x86\xdd" + bytes(40), Ineligible.NOT_IPV4),
        (ipv4(fragment=1), Ineligible.FRAGMENT),
        (ipv4(destination="224.0.0.1"), Ineligible.MULTICAST_DESTINATION),
        (ipv4(destination="255.255.255.255"), Ineligible.MULTICAST_DESTINATION),
        (ipv4(source="0.0.0.0"), Ineligible.SOURCE_NOT_A_HOST),
        (ipv4(source="127.0.0.1"), Ineligible.SOURCE_NOT_A_HOST),
        (ipv4(source="239.1.1.1"), Ineligible.SOURCE_NOT_A_HOST),
        (ipv4(UDP, macs=b"\xff" * 6 + MACS[6:]), Ineligible.LINK_BROADCAST),
        (ipv4()[: 14 + 20 + 4], Ineligible.MALFORMED),
        *((ipv4(ICMP, bytes([kind]) + bytes(35)), Ineligible.ICMP_ERROR) for kind in (3, 4, 5, 11, 12)),
    ],
)
def test_no_isq_is_sent_about(frame: bytes, reason: Ineligible) -> None:
    with pytest.raises(NotEligibleError) as error:
        source_quench(frame, marked=True, router=ROUTER)
    assert error.value.reason is reason


@pytest.mark.parametrize(
    "frame", [ipv4(ICMP, bytes([8]) + bytes(63)), ipv4(fragment=0x4000), ipv4(fragment=0x2000), ipv4(UDP)[:42]]
)
def test_an_isq_is_sent_about(frame: bytes) -> None:
    assert source_quench(frame, marked=False, router=ROUTER)


@given(st.binary(max_size=80))
def test_any_bytes_give_a_message_or_a_reason(frame: bytes) -> None:
    try:
        isq = source_quench(frame, marked=True, router=ROUTER)
    except NotEligibleError:
        return
    assert isq[14 + 16 : 14 + 20] == frame[14 + 12 : 14 + 16]


@given(st.binary(max_size=60))
def test_any_bytes_behind_an_ipv4_header(payload: bytes) -> None:
    frame = b"\0" * 12 + b"\x08\x00\x45" + payload
    try:
        source_quench(frame, marked=True, router=ROUTER)
    except NotEligibleError as error:
        assert error.reason in Ineligible


def test_a_source_has_its_burst_and_then_its_rate() -> None:
    limiter = Limiter(RateLimit(10, 3), None)
    assert [limiter.refuses(1, b"a", 0.0) for _ in range(4)] == [None, None, None, "source"]
    assert limiter.refuses(1, b"b", 0.0) is None
    assert limiter.refuses(1, b"a", 0.05) == "source"
    assert limiter.refuses(1, b"a", 0.1) is None


def test_a_refusal_by_the_total_costs_the_source_nothing() -> None:
    limiter = Limiter(RateLimit(1, 1), RateLimit(1, 1))
    assert limiter.refuses(1, b"a", 0.0) is None
    assert limiter.refuses(1, b"b", 0.0) == "total"
    assert limiter.refuses(1, b"b", 1.0) is None


@given(st.lists(st.floats(0, 0.5), min_size=50, max_size=200), st.floats(1, 100), st.integers(1, 20))
def test_no_more_is_sent_than_the_limit_says(gaps: list[float], rate: float, burst: int) -> None:
    limiter = Limiter(None, RateLimit(rate, burst))
    now, sent = 0.0, 0
    for gap in gaps:
        now += gap
        sent += limiter.refuses(1, b"", now) is None
    assert sent <= burst + rate * now + 1e-6
