# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""CNPs of RoCEv2 by the controller; ptf_tests/tests/roce.py compares them with Scapy's and with the switch's."""

import json
import struct
import zlib
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from quench.client.entries import isq_domain
from quench.config.isq import IsqConfig
from quench.isq import Ineligible, NotEligibleError, Origin
from quench.isq.cnp import roce_packet

ROOT = Path(__file__).resolve().parents[3]
FILE = json.loads((ROOT / "docs/reference/vectors/rocev2.json").read_text())
VECTORS = FILE["vectors"]
DOMAIN = (ip_network("10.0.0.0/8"), ip_network("2001:db8::/32"))
ADDRESSES = IPv4Address(FILE["switch"]["address"]), IPv6Address(FILE["switch"]["ipv6_address"])
FAST = IsqConfig(format="fast-cnp", domain=DOMAIN).origin(*ADDRESSES)
MACS = bytes.fromhex("000000000101 000000000102")


def read(message: bytes) -> dict[str, Any]:
    """The fields of a message by the offsets of the standards: for ``fields`` of the vectors."""
    ip, found = message[14:], {}
    if message[12:14] == b"\x86\xdd":
        (first,) = struct.unpack_from("!I", ip)
        names = ("payload_length", "next_header", "hop_limit")
        found = {"ip_version": 6, "dscp": first >> 22 & 63, "ecn": first >> 20 & 3, "flow_label": first & 0xFFFFF}
        found |= dict(zip(names, struct.unpack_from("!HBB", ip, 4), strict=True))
        found |= {"source": str(IPv6Address(ip[8:24])), "destination": str(IPv6Address(ip[24:40]))}
        at = 40
        if ip[6] == 60:
            names = ("next_header", "header_extension_length", "padn_bytes", "option_type", "option_length")
            values = (ip[40], ip[41], ip[43] + 2, ip[46], ip[47])
            original = str(IPv6Address(ip[48:64]))
            found["options"] = {**dict(zip(names, values, strict=True)), "original_destination": original}
            assert (ip[42], ip[44:46]) == (1, bytes(2))
            at = 64
        if ip[6] == 58:
            found |= {"icmpv6_type": ip[40], "icmpv6_code": ip[41], "icmpv6_checksum": ip[42:44].hex()}
            found |= {"marked": ip[44] >> 7, "level": ip[44] & 127, "advice": int.from_bytes(ip[46:48], "big")}
            return found | {"quoted_bytes": len(ip) - 48}
    else:
        found = {"ip_version": 4, "dscp": ip[1] >> 2, "ecn": ip[1] & 3}
        found |= dict(zip(("total_length", "identification"), struct.unpack_from("!HH", ip, 2), strict=True))
        found |= {"flags": ip[6] >> 5, "ttl": ip[8], "protocol": ip[9]}
        found |= {"source": str(IPv4Address(ip[12:16])), "destination": str(IPv4Address(ip[16:20]))}
        at = 20
        if ip[9] == 1:
            found |= {"icmp_type": ip[20], "icmp_code": ip[21], "marked": ip[24] >> 7, "level": ip[24] & 127}
            return found | {"advice": int.from_bytes(ip[26:28], "big")}
    names = ("udp_source_port", "udp_destination_port", "udp_length", "udp_checksum")
    found |= dict(zip(names, struct.unpack_from("!HHHH", ip, at), strict=True))
    bth = ip[at + 8 : at + 20]
    found["bth"] = {
        "opcode": bth[0],
        "solicited": bth[1] >> 7,
        "migration": bth[1] >> 6 & 1,
        "pad_count": bth[1] >> 4 & 3,
        "version": bth[1] & 15,
        "partition_key": int.from_bytes(bth[2:4], "big"),
        "fecn": bth[4] >> 7,
        "becn": bth[4] >> 6 & 1,
        "destination_qp": int.from_bytes(bth[5:8], "big"),
        "acknowledge": bth[8] >> 7,
        "sequence": int.from_bytes(bth[9:12], "big"),
    }
    assert len(ip) == at + 40
    return found | {"reserved": ip[at + 20 : at + 36].hex(), "icrc": ip[at + 36 :].hex()}


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_a_vectors_message_is_made_and_has_its_fields(vector: dict[str, Any]) -> None:
    origin = IsqConfig(format=vector["format"], domain=DOMAIN).origin(*ADDRESSES)
    values = {name: vector[name] for name in ("marked", "level", "advice")}
    message = origin.source_quench(bytes.fromhex(vector["about"]), **values)
    assert message.hex() == vector["message"]
    assert read(message) == vector["fields"]


def test_the_icrc_is_that_of_a_captured_cnp() -> None:
    """A CNP that a network card sent: the CRC over it with the masked fields as ones."""
    captured = bytes.fromhex(
        "45c2003c718c4000401191610a0011010a001201 000012b700280000 8100ffff4000011800000000" + "00" * 16
    )
    masked = bytearray(captured)
    masked[1] = masked[8] = masked[10] = masked[11] = masked[26] = masked[27] = masked[32] = 0xFF
    assert zlib.crc32(b"\xff" * 8 + masked).to_bytes(4, "little").hex() == "82fd002a"


def data(v6: bool, source: str, destination: str, port: int, qp: int, partition: int, payload: bytes) -> bytes:
    """A packet of RoCEv2 with data, whose IPv4 checksum nobody verifies here."""
    ends = ip_address(source).packed + ip_address(destination).packed
    roce = struct.pack("!HHHHBBHII", port, 4791, 20 + len(payload), 0, 6, 0x40, partition, qp, 1 << 31) + payload
    if v6:
        return MACS + b"\x86\xdd" + struct.pack("!IHBB", 0x6A0FFFFF, len(roce), 17, 3) + ends + roce
    header = struct.pack("!BBHHHBBH", 0x45, 2, 20 + len(roce), 9, 0, 4, 17, 0)
    return MACS + b"\x08\x00" + header + ends + roce


@given(
    v6=st.booleans(),
    port=st.integers(0, 65535),
    qp=st.integers(0, 2**24 - 1),
    partition=st.integers(0, 65535),
    payload=st.binary(max_size=40),
)
def test_a_cnp_repeats_what_tells_the_flow(v6: bool, port: int, qp: int, partition: int, payload: bytes) -> None:
    source, destination = ("2001:db8::1", "2001:db8:f::2") if v6 else ("10.1.2.3", "10.3.2.1")
    frame = data(v6, source, destination, port, qp, partition, payload)
    fields = read(FAST.source_quench(frame, marked=True, level=0))
    assert (fields["source"], fields["destination"]) == (str(ADDRESSES[v6]), source)
    assert fields["udp_source_port"] == port
    assert (fields["bth"]["destination_qp"], fields["bth"]["partition_key"]) == (qp, partition)
    carried = fields["options"]["original_destination"] if v6 else IPv6Address(bytes.fromhex(fields["reserved"]))
    assert IPv6Address(carried) == IPv6Address(destination if v6 else f"::ffff:{destination}")


@given(
    st.binary(max_size=120), st.sampled_from(("icmp", "cnp", "fast-cnp")), st.sampled_from((b"\x08\x00", b"\x86\xdd"))
)
def test_any_bytes_give_a_message_or_a_reason(rest: bytes, form: Any, ether_type: bytes) -> None:
    origin = IsqConfig(format=form, domain=(ip_network("0.0.0.0/0"), ip_network("::/0"))).origin(*ADDRESSES)
    frame = MACS + ether_type + rest
    try:
        message = origin.source_quench(frame, marked=True, level=0)
    except NotEligibleError as error:
        assert error.reason in Ineligible
        return
    assert message[:14] == MACS[6:] + MACS[:6] + ether_type


@given(st.data())
def test_any_bytes_behind_the_headers_of_roce(draw: st.DataObject) -> None:
    ends = draw.draw(st.sampled_from((("10.0.1.1", "10.0.2.2"), ("2001:db8::1", "2001:db8::2"))))
    frame = data(":" in ends[0], *ends, 5, 6, 7, b"")
    cut = frame[: draw.draw(st.integers(0, len(frame)))]
    packet = roce_packet(cut)
    assert (packet is not None) == (len(cut) == len(frame))


def test_icmpv6_has_the_checksum_of_rfc_4443_and_needs_a_domain() -> None:
    frame = data(True, "2001:db8::1", "2001:db8::2", 1, 2, 3, bytes(9))
    message = IsqConfig(domain=DOMAIN).origin(*ADDRESSES).source_quench(frame, marked=False, level=127, advice=0xFFFF)
    ip = message[14:]
    pseudo = ip[8:40] + struct.pack("!II", len(ip) - 40, 58)
    words = struct.unpack(f"!{(len(pseudo) + len(ip) - 40) // 2}H", pseudo + ip[40:])
    assert sum(words) % 0xFFFF == 0
    assert ip[48:] == frame[14:][:60]
    with pytest.raises(NotEligibleError) as error:
        IsqConfig().origin(*ADDRESSES).source_quench(frame, marked=False, level=0)
    assert error.value.reason is Ineligible.OUTSIDE_DOMAIN


@pytest.mark.parametrize(("form", "formats"), [("icmp", (1, 1)), ("cnp", (2, 2)), ("fast-cnp", (2, 3))])
def test_ipv6_has_a_form_on_switches_with_an_address_of_ipv6(form: Any, formats: tuple[int, int]) -> None:
    isq = IsqConfig(format=form, domain=DOMAIN)
    for address, expected in ((ADDRESSES[1], formats), (None, (formats[0], 0))):
        found = isq_domain(isq, address)
        assert tuple(entry.action.args["format"] for entry in found if entry.action) == expected


def test_a_packet_from_elsewhere_causes_none() -> None:
    for source, destination in (("11.0.0.1", "10.0.0.1"), ("2001:db9::1", "2001:db8::1")):
        frame = data(":" in source, source, destination, 1, 2, 3, b"")
        with pytest.raises(NotEligibleError) as error:
            FAST.source_quench(frame, marked=True, level=0)
        assert error.value.reason is Ineligible.OUTSIDE_DOMAIN
    lacking = Origin(ADDRESSES[0], None, "cnp", DOMAIN)
    with pytest.raises(NotEligibleError) as error:
        lacking.source_quench(data(True, "2001:db8::1", "2001:db8::2", 1, 2, 3, b""), marked=True, level=0)
    assert error.value.reason is Ineligible.NO_IPV6_ADDRESS


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"format": "cnp"}, "'cnp' needs isq.domain: the prefixes of the hosts and switches"),
        ({"format": "ecn"}, "Input should be 'icmp', 'cnp' or 'fast-cnp'"),
        ({"domain": ["10.0.0.1/8"]}, "10.0.0.1/8 has host bits set"),
        ({"domain": ["239.0.0.0/8"]}, "239.0.0.0/8 is multicast: give prefixes of hosts and switches"),
        ({"domain": ["10.0.0.0/8", "10.0.0.0/8"]}, "a prefix is given twice"),
        ({"domain": [f"10.{each}.0.0/16" for each in range(65)]}, "at most 64 items"),
        ({"domain": [10]}, "10 is no prefix: write a prefix as 10.0.2.0/24 or 2001:db8::/32"),
        ({"domain": ["fe80::%eth0/64"]}, "'fe80::%eth0/64' is no prefix"),
        ({"format": "fast-cnp", "domain": ["10.0.0.0/8"]}, "a Fast CNP is for IPv6: give isq.domain a prefix of IPv6"),
        ({"sender_support": "known"}, "'known' is for the format 'fast-cnp': leave it out"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValidationError) as error:
        IsqConfig.model_validate(settings)
    assert fault in str(error.value)
