# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
from ipaddress import IPv4Address

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quench.isq import Ineligible, Limiter, NotEligibleError, RateLimit, source_quench
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Raw

ROUTER = IPv4Address("10.0.0.254")
ETHERNET = Ether(src="00:00:00:00:00:01", dst="00:00:00:00:00:02")


def tcp(**ip: object) -> bytes:
    packet = (
        ETHERNET / IP(src="10.0.1.1", dst="10.0.2.2", **ip) / TCP(sport=5001, dport=80, seq=12345) / Raw(b"x" * 100)
    )
    return bytes(packet)


@pytest.mark.parametrize(
    ("marked", "level", "octet"), [(True, 0, 0x80), (False, 0, 0), (True, 127, 0xFF), (False, 5, 5)]
)
def test_bytes_of_the_message(marked: bool, level: int, octet: int) -> None:
    frame = tcp(tos=0xB9)
    isq = source_quench(frame, marked=marked, router=ROUTER, level=level)
    assert len(isq) == 14 + 56
    parsed = Ether(isq)
    assert parsed[IP].src == str(ROUTER)
    assert parsed[IP].dst == "10.0.1.1"
    assert parsed[IP].tos == 0xA0
    assert (parsed[ICMP].type, parsed[ICMP].code) == (4, 0)
    assert isq[14 + 20 + 4] == octet
    assert isq[14 + 20 + 5 : 14 + 20 + 8] == b"\0\0\0"
    assert isq[14 + 28 :] == frame[14 : 14 + 28]
    rebuilt = Ether(isq)
    del rebuilt[IP].chksum
    del rebuilt[ICMP].chksum
    assert bytes(rebuilt) == isq


def test_options_are_quoted_whole() -> None:
    from scapy.layers.inet import IPOption_NOP

    frame = tcp(options=[IPOption_NOP()] * 8)
    isq = source_quench(frame, marked=True, router=ROUTER)
    assert isq[14 + 28 :] == frame[14 : 14 + 28 + 8]


@pytest.mark.parametrize(
    ("packet", "reason"),
    [
        (ETHERNET / IPv6() / UDP(), Ineligible.NOT_IPV4),
        (ETHERNET / IP(src="10.0.1.1", dst="10.0.2.2", frag=1) / Raw(b"x" * 8), Ineligible.FRAGMENT),
        (ETHERNET / IP(src="10.0.1.1", dst="224.0.0.1") / UDP(), Ineligible.MULTICAST_DESTINATION),
        (ETHERNET / IP(src="10.0.1.1", dst="255.255.255.255") / UDP(), Ineligible.MULTICAST_DESTINATION),
        (ETHERNET / IP(src="0.0.0.0", dst="10.0.2.2") / UDP(), Ineligible.SOURCE_NOT_A_HOST),
        (ETHERNET / IP(src="127.0.0.1", dst="10.0.2.2") / UDP(), Ineligible.SOURCE_NOT_A_HOST),
        (ETHERNET / IP(src="239.1.1.1", dst="10.0.2.2") / UDP(), Ineligible.SOURCE_NOT_A_HOST),
        (Ether(dst="ff:ff:ff:ff:ff:ff") / IP(src="10.0.1.1", dst="10.0.2.2") / UDP(), Ineligible.LINK_BROADCAST),
        *(
            (ETHERNET / IP(src="10.0.1.1", dst="10.0.2.2") / ICMP(type=kind) / Raw(b"x" * 28), Ineligible.ICMP_ERROR)
            for kind in (3, 4, 5, 11, 12)
        ),
    ],
)
def test_no_isq_is_sent_about(packet: Ether, reason: Ineligible) -> None:
    with pytest.raises(NotEligibleError) as error:
        source_quench(bytes(packet), marked=True, router=ROUTER)
    assert error.value.reason is reason


@pytest.mark.parametrize(
    "packet", [ETHERNET / IP(src="10.0.1.1", dst="10.0.2.2") / ICMP(type=8), Ether(tcp(flags="DF"))]
)
def test_an_isq_is_sent_about(packet: Ether) -> None:
    assert source_quench(bytes(packet), marked=False, router=ROUTER)


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
    assert [limiter.refuses(b"a", 0.0) for _ in range(4)] == [None, None, None, "source"]
    assert limiter.refuses(b"b", 0.0) is None
    assert limiter.refuses(b"a", 0.05) == "source"
    assert limiter.refuses(b"a", 0.1) is None


def test_a_refusal_by_the_total_costs_the_source_nothing() -> None:
    limiter = Limiter(RateLimit(1, 1), RateLimit(1, 1))
    assert limiter.refuses(b"a", 0.0) is None
    assert limiter.refuses(b"b", 0.0) == "total"
    assert limiter.refuses(b"b", 1.0) is None


@given(st.lists(st.floats(0, 0.5), min_size=50, max_size=200), st.floats(1, 100), st.integers(1, 20))
def test_no_more_is_sent_than_the_limit_says(gaps: list[float], rate: float, burst: int) -> None:
    limiter = Limiter(None, RateLimit(rate, burst))
    now, sent = 0.0, 0
    for gap in gaps:
        now += gap
        sent += limiter.refuses(b"", now) is None
    assert sent <= burst + rate * now + 1e-6
