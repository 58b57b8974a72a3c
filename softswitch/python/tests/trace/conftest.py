# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A program that draws random numbers, with its entries and forty packets, and captures."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from quench_switch import compile_p4

SAMPLING = Path(__file__).parent / "programs" / "sampling.p4"
PACKET = bytes.fromhex(
    "020000000001 020000000002 0800 450200280000000040065ccd0a0009010a00010103e80050 00000000000000005010 03e8 00000000"
)
"""TCP over IPv4 to a host behind port 1, 54 bytes."""


@pytest.fixture(scope="session")
def sampling_json() -> str:
    return compile_p4(str(SAMPLING)).json


@pytest.fixture(scope="session")
def sampling_packet() -> bytes:
    return PACKET


@pytest.fixture(scope="session")
def sampling_inputs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Its entries, and a capture of the packets."""
    capture = tmp_path_factory.mktemp("sampling") / "packets.pcap"
    return SAMPLING.with_suffix(".stf"), write_pcap(capture, 40 * [PACKET])


@pytest.fixture(scope="session")
def capture_of() -> Callable[[Path, Sequence[bytes]], Path]:
    """Writes packets as a capture."""
    return write_pcap


def write_pcap(path: Path, packets: Sequence[bytes], gap_us: int = 1000) -> Path:
    """A capture with microseconds, in the byte order of other machines."""
    header = struct.pack(">IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 1)
    records = [
        struct.pack(">IIII", 1_700_000_000, place * gap_us, len(packet), len(packet)) + packet
        for place, packet in enumerate(packets)
    ]
    path.write_bytes(header + b"".join(records))
    return path
