# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Packet-ins: the P4 program's messages to the CPU about a packet or a queue."""

from dataclasses import dataclass
from enum import IntEnum

import finsy as fy
from finsy.proto import p4r

from quench.isq.message import LEVEL_MASK


class Reason(IntEnum):
    """The reason for a copy (p4src/common/types.p4)."""

    MARKED = 1
    DROPPED_EARLY = 2
    DROPPED_FORCED = 3
    QUEUE_REPORT = 4


@dataclass(frozen=True, slots=True)
class Copy:
    """A decoded packet-in."""

    reason: Reason
    level: int
    """Level of the mark, 1 or 2; 0 for a drop or a report."""
    ingress_port: int
    egress_port: int
    queue: int
    depth_pkts: int
    average_pkts: float
    time_us: int
    isq_level: int
    """Level that a source quench about this packet carries, 0..127."""
    isq_advice: int
    """Advice that it carries, as the bits on the wire (``quench.advice``)."""
    frame: bytes
    """The packet from its Ethernet header on, cut after 106 bytes or more."""

    @property
    def marked(self) -> bool:
        """Whether the packet went on with a mark; else it was dropped, or this is a report."""
        return self.reason is Reason.MARKED


def decode(packet: fy.P4PacketIn) -> Copy:
    """The copy that a packet-in carries. Raises ValueError for one that the program does not send."""
    try:
        isq_level = packet["isq_level"]
        if isq_level > LEVEL_MASK:
            raise ValueError(f"packet-in has isq_level {isq_level}, above {LEVEL_MASK}")
        return Copy(
            reason=Reason(packet["reason"]),
            level=packet["level"],
            ingress_port=packet["ingress_port"],
            egress_port=packet["egress_port"],
            queue=packet["queue"],
            depth_pkts=packet["depth_pkts"],
            average_pkts=packet["average_q16_pkts"] / 65536,
            time_us=packet["time_us"],
            isq_level=isq_level,
            isq_advice=packet["isq_advice"],
            frame=packet.payload,
        )
    except KeyError as error:
        raise ValueError(f"packet-in has no field {error}") from error


def decode_message(packet: p4r.PacketIn, schema: fy.P4Schema) -> Copy:
    """The copy that a message of the stream carries. Raises ValueError for one that the program does not send."""
    header = schema.controller_packet_metadata["packet_in"]
    return decode(fy.P4PacketIn(packet.payload, metadata=header.decode(packet.metadata)))
