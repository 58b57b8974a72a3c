# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The packets of a flow, and the checks on source quenches about them."""

import random
from ipaddress import IPv4Address, IPv4Network

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quench.isq.message import internet_checksum
from quench.udp.quenches import Quench, QuenchChecker, Refusal, RefusedError, SentPackets
from quench.udp.wire import LEAST_PACKET_BYTES, DataHeader, Endpoints, PacketMaker, read_payload
from udp_quotes import FORGERIES, UNDELIVERABLE, about, changed, guess

ENDS = Endpoints(IPv4Address("10.0.1.1"), 40000, IPv4Address("10.0.2.2"), 9009)
BYTES = 1000
FLOW = 0x1234_5678_9ABC_DEF0


def made(
    sequence: int = 7, identification: int = 0x0102, nonce: int = 0xBEEF, length: int = BYTES
) -> tuple[bytes, int]:
    return PacketMaker(ENDS, length, 0xB9, FLOW).make(sequence, 123_456_789_012, identification, nonce)


class Flow:
    """A sender's memory with some packets in it."""

    def __init__(self) -> None:
        self.sent = SentPackets(window_s=2.0)
        self.checker = QuenchChecker(ENDS, BYTES - 20, self.sent)
        self.packets = []
        generator = random.Random(1)
        for sequence in range(100):
            identification, nonce = generator.randrange(1, 1 << 16), generator.randrange(1 << 16)
            packet, checksum = made(sequence, identification, nonce)
            self.sent.add(sequence / 64, identification, checksum)
            self.packets.append(packet)

    def refusal(self, quench: bytes, now_s: float = 1.6) -> Refusal | None:
        try:
            self.checker.check(quench, now_s)
        except RefusedError as error:
            return error.reason
        return None


def ones_complement_sum(data: bytes) -> int:
    return sum(int.from_bytes(data[i : i + 2].ljust(2, b"\0"), "big") for i in range(0, len(data), 2)) % 0xFFFF


@pytest.mark.parametrize("length", [LEAST_PACKET_BYTES, 61, 200, 1000, 1001])
def test_a_packet_has_the_length_and_the_checksum_that_it_says(length: int) -> None:
    packet, checksum = made(length=length)
    assert len(packet) == length == int.from_bytes(packet[2:4], "big")
    assert (packet[1], packet[4:8]) == (0xB9, bytes([1, 2, 0x40, 0]))
    assert int.from_bytes(packet[26:28], "big") == checksum
    pseudo = packet[12:20] + bytes([0, 17]) + packet[24:26]
    assert ones_complement_sum(pseudo + packet[20:]) == 0
    assert read_payload(packet[28:]) == DataHeader(FLOW, 7, 123_456_789_012)


def test_every_nonce_gives_another_checksum() -> None:
    checksums = {made(nonce=nonce)[1] for nonce in range(1 << 16)}
    # All but 0, which is sent as 0xffff: RFC 768.
    assert len(checksums) == 0xFFFF
    assert 0 not in checksums


@pytest.mark.parametrize("payload", [b"", b"QUDP", bytes(100), made()[0][28:59], b"QUDP\x02" + made()[0][33:]])
def test_other_payloads_are_no_packets_of_a_flow(payload: bytes) -> None:
    assert read_payload(payload) is None


@pytest.mark.parametrize(("marked", "level"), [(True, 0), (False, 0), (True, 127), (False, 3)])
def test_a_true_source_quench_is_believed(marked: bool, level: int) -> None:
    flow = Flow()
    assert flow.checker.check(about(flow.packets[50], marked=marked, level=level), 1.6) == Quench(marked, level)


def test_what_routers_change_in_a_packet_does_not_matter() -> None:
    flow = Flow()
    packet = bytearray(flow.packets[3])
    packet[1] |= 0b11  # marked
    packet[8] = 5  # time to live
    packet[10:12] = bytes(2)
    packet[10:12] = internet_checksum(bytes(packet[:20])).to_bytes(2, "big")
    assert flow.refusal(about(bytes(packet))) is None


@pytest.mark.parametrize("name", [*FORGERIES, *UNDELIVERABLE])
def test_a_forged_source_quench_is_refused(name: str) -> None:
    reason, forge = {**FORGERIES, **UNDELIVERABLE}[name]
    flow = Flow()
    quench = about(flow.packets[50])
    assert flow.refusal(forge(quench)) is reason
    assert flow.refusal(quench) is None


def test_a_packet_can_be_quoted_once() -> None:
    flow = Flow()
    quench = about(flow.packets[50])
    assert flow.refusal(quench) is None
    assert flow.refusal(quench) is Refusal.REPEATED
    assert flow.refusal(about(flow.packets[50], marked=False)) is Refusal.REPEATED
    assert flow.refusal(about(flow.packets[51])) is None


def test_a_packet_can_be_quoted_for_a_while_only() -> None:
    flow = Flow()
    assert flow.refusal(about(flow.packets[0]), 2.0) is None
    assert flow.refusal(about(flow.packets[0]), 2.125) is Refusal.NOT_IN_FLIGHT
    assert flow.refusal(about(flow.packets[7]), 2.125) is Refusal.NOT_IN_FLIGHT
    assert flow.refusal(about(flow.packets[8]), 2.125) is None
    assert len(flow.sent) == 92


def test_ten_thousand_guesses_hit_nothing() -> None:
    """With 100 packets in the window the chance of a hit is 10000 * 100 / 2^32, or 0.02 %; these guesses are fixed."""
    flow = Flow()
    quench = about(flow.packets[50])
    assert {flow.refusal(guess(quench, number)) for number in range(10_000)} == {Refusal.NOT_IN_FLIGHT}


def test_an_outer_header_with_options_is_understood() -> None:
    flow = Flow()
    quench = about(flow.packets[50])
    longer = b"\x46" + quench[1:20] + b"\x01\x01\x01\x00" + quench[20:]
    longer = longer[:2] + len(longer).to_bytes(2, "big") + longer[4:]
    assert flow.refusal(longer) is None


@given(st.binary(max_size=100), st.binary(max_size=40))
def test_any_bytes_are_refused_with_a_reason(start: bytes, rest: bytes) -> None:
    flow = Flow()
    assert flow.refusal(start) in Refusal
    quench = about(flow.packets[50])
    assert flow.refusal(changed(quench, 28, start[:28]) + rest) in {None, *Refusal}


@pytest.mark.parametrize(
    ("networks", "expected"),
    [
        (("10.0.0.254",), None),
        (("0.0.0.0/0",), None),
        (("10.0.0.0/25", "192.0.2.0/24"), Refusal.UNKNOWN_ROUTER),
        ((), Refusal.UNKNOWN_ROUTER),
    ],
)
def test_only_named_routers_may_quench(networks: tuple[str, ...], expected: Refusal | None) -> None:
    flow = Flow()
    checker = QuenchChecker(ENDS, BYTES - 20, flow.sent, tuple(map(IPv4Network, networks)))
    quench = about(flow.packets[99])
    if expected is None:
        assert checker.check(quench, 1.6).marked
        return
    with pytest.raises(RefusedError) as error:
        checker.check(quench, 1.6)
    assert error.value.reason is expected
    # It may still be quoted by a router.
    assert flow.refusal(quench) is None
