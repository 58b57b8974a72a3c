# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Quench Authors
"""Writes the first inputs of the fuzzers into fuzz/corpus, as their harnesses read them: `make fuzz-seeds`."""

from __future__ import annotations

import struct
from pathlib import Path

from hostlab.packets import ACK, CWR, ECE, SYN, Quench, ipv4

CORPUS = Path(__file__).parents[1] / "fuzz" / "corpus"

LOCAL, REMOTE = bytes([10, 9, 0, 1]), bytes([10, 9, 0, 2])
SEQ, MSS_BYTES, SECRET = 0xFFFFF000, 960, 0x1234
ETHERNET = bytes(12) + b"\x08\x00"
OFFER = b"\xfd\x04ME"
CSIG_IN, CSIG_OUT, CSIG_STRIP = 5, 6, 7
# In the setup of fuzz_segment.c: q_csig_strip has left a tag.
CSIG_TAG = 64
MEND, ETHERNET_FLAG, IPV6_FLAG, STORAGE = 2, 1, 4, 32


def tcp(flags: int, options: bytes = b"", payload: bytes = b"data") -> bytes:
    offset = 5 + len(options) // 4
    return struct.pack("!HHIIBBHHH", 40000, 5000, SEQ, 777, offset << 4, flags, 9999, 0, 0) + options + payload


def data_frame() -> bytes:
    """A packet in flight."""
    packet = bytearray(ipv4(LOCAL, REMOTE, 6, tcp(ACK), fragment=0x4000))
    packet[4:6] = struct.pack("!H", (SECRET + SEQ // MSS_BYTES) & 0xFFFF)
    return ETHERNET + bytes(packet)


def isq_seeds() -> dict[str, bytes]:
    frame = data_frame()
    quenches = {
        "marked": Quench(marked=True),
        "dropped": Quench(marked=False, level=5),
        "whole_header": Quench(marked=True, quoted_tcp_bytes=20),
        "outer_options": Quench(marked=True, outer_options=b"\1" * 8),
        "quoted_options": Quench(marked=True, quoted_options=b"\1" * 8),
        "longest": Quench(marked=True, quoted_tcp_bytes=20, padding=bytes(556 - 8 - 20 - 20)),
        "too_long": Quench(marked=True, quoted_tcp_bytes=20, padding=bytes(556 - 8 - 20 - 20 + 1)),
        "near": Quench(marked=True, ttl=200),
        "far": Quench(marked=True, ttl=199),
        "fragment": Quench(marked=True, fragment=0x2000),
        "truncated": Quench(marked=True, quoted_bytes=27),
        "source_route": Quench(marked=True, outer_options=bytes([148, 4, 0, 0, 131, 3, 4, 0])),
        "damaged_options": Quench(marked=True, outer_options=bytes([7, 1, 0, 0])),
        "own_address": Quench(marked=True, router=LOCAL),
        "own_broadcast": Quench(marked=True, router=bytes([10, 9, 0, 255])),
        "multicast": Quench(marked=True, router=bytes([224, 0, 0, 1])),
        "no_time_to_live": Quench(marked=True, ttl=0),
    }
    with_link = bytes([MEND | ETHERNET_FLAG, 200, 10, 0])
    without_link = bytes([MEND, 0, 10, 0])
    untagged, priority, vlan, tag_inside = bytes([0, 0]), bytes([1, 0]), bytes([8, 0]), bytes([8, 1])
    marked = quenches["marked"].about(frame)
    seeds = {name: with_link + untagged + quench.about(frame) for name, quench in quenches.items()}
    seeds["layer3"] = without_link + untagged + marked[14:]
    seeds["priority"] = with_link + priority + marked
    seeds["vlan"] = with_link + vlan + marked
    seeds["vlan_inside"] = with_link + tag_inside + Quench(marked=True, vlan_tags=((0x8100, 9),)).about(frame)
    return seeds


def segment_seeds() -> dict[str, bytes]:
    seeds = {}
    options = b"\2\4\5\xb4\1\1\4\2"
    kinds = {
        "syn": (SYN | ECE | CWR, options, b""),
        "syn_offer": (SYN | ECE | CWR, options + OFFER, b""),
        "syn_ack": (SYN | ACK | ECE, options + OFFER, b""),
        "data": (ACK | ECE, b"", b"data"),
        "ack": (ACK | CWR, b"", b""),
    }
    for name, (flags, more, payload) in kinds.items():
        segment = tcp(flags, more, payload)
        v4 = ETHERNET + ipv4(LOCAL, REMOTE, 6, segment, fragment=0x4000)
        v6 = struct.pack("!IHBB", 6 << 28, len(segment), 6, 64) + bytes(32) + segment
        for which in range(5):
            setup = bytes([which, MEND | ETHERNET_FLAG | STORAGE, 2, 1, 0, 0])
            seeds[f"{name}_{which}"] = setup + v4
            seeds[f"{name}6_{which}"] = bytes([which, MEND | IPV6_FLAG | STORAGE, 2, 6, 7, 1]) + v6
        for which in (CSIG_IN, CSIG_OUT):
            seeds[f"{name}_{which}"] = bytes([which, MEND | STORAGE, 2, CSIG_TAG, 0, 1]) + v4
    for form, tag in (("compact", b"\x99\x00\x40\x05"), ("wide", b"\x88\xb5\0\7\x20\0\x11\0")):
        seeds[f"tag_{form}"] = bytes([CSIG_STRIP, 0, 0, 0, 0, 0]) + data_frame()[:12] + tag + data_frame()[12:]
    return seeds


def state_seeds() -> dict[str, bytes]:
    settings = "sysctl tcp_congestion_control bbr\nsysctl tcp_ecn 2\nsysctl tcp_rmem 4096\t131072\t6291456\n"
    return {
        "becn": f"algo becn\npaper 0\nnetns 4026532000\ndevice h0 17 1\n{settings}".encode(),
        "plain": f"algo plain\npaper 1\ndevice eth0 0 0\ndevice eth1 4294967295 0\n{settings}".encode(),
    }


for target, seeds in {"isq": isq_seeds(), "segment": segment_seeds(), "state": state_seeds()}.items():
    (CORPUS / target).mkdir(parents=True, exist_ok=True)
    for name, data in seeds.items():
        (CORPUS / target / name).write_bytes(data)
