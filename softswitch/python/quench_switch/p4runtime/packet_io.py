# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Packet-in and packet-out headers (specification, "Packet I/O" and "ControllerPacketMetadata")."""

from __future__ import annotations

from quench_switch.messages import p4r

from .errors import RequestError, invalid
from .pipeline import PacketHeaderSpec

MAX_PACKET_BYTES = 65535


def decode_packet_in(header: PacketHeaderSpec | None, packet: bytes) -> p4r.PacketIn:
    """Message of a packet that left by the CPU port. Without a declared header all of it is payload.

    Raises :class:`RequestError` if the packet is shorter than its header.
    """
    if header is None:
        return p4r.PacketIn(payload=packet)
    size = header.size_bytes
    bits = 8 * size
    if len(packet) < size:
        raise invalid(f"a packet of {len(packet)} bytes left by the CPU port, its packet_in header alone has {size}")
    message = p4r.PacketIn(payload=packet[size:])
    left = int.from_bytes(packet[:size], "big")
    for metadata_id, value, _ in header.fields:
        bits -= value.bits
        field = left >> bits
        left &= (1 << bits) - 1
        message.metadata.add(metadata_id=metadata_id, value=value.encode(field))
    return message


def encode_packet_out(header: PacketHeaderSpec | None, message: p4r.PacketOut) -> bytes:
    """The packet as it enters by the CPU port. Metadata has to be as P4Info describes it."""
    if len(message.payload) > MAX_PACKET_BYTES:
        raise invalid(f"packet-out of {len(message.payload)} bytes, the most is {MAX_PACKET_BYTES}")
    given: dict[int, bytes] = {}
    for item in message.metadata:
        if item.metadata_id in given:
            raise invalid(f"packet-out metadata {item.metadata_id} is given twice")
        given[item.metadata_id] = item.value
    if header is None:
        if given:
            raise invalid("the program declares no packet_out header, the packet-out has metadata")
        return message.payload
    packed = bits = 0
    for metadata_id, value, is_padding in header.fields:
        raw = given.pop(metadata_id, None)
        if raw is None and not is_padding:
            raise invalid(f"{value.what} (id {metadata_id}) is missing")
        try:
            field = 0 if raw is None else value.decode(raw)
        except RequestError as error:
            raise invalid(error.message) from error
        packed = packed << value.bits | field
        bits += value.bits
    if given:
        raise invalid(f"packet_out has no metadata with id {min(given)}")
    packed <<= 8 * header.size_bytes - bits
    return packed.to_bytes(header.size_bytes, "big") + message.payload
