# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""`quench.p4` with forty packets at an average of ten, and captures."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from quench_switch import compile_p4
from quench_switch.stf.statements import Packet
from quench_switch.stf.syntax import parse

PROGRAMS = Path(__file__).parent / "programs"
QUENCH = Path(__file__).parents[4] / "p4src" / "quench.p4"
MARKING = PROGRAMS / "marking.stf"


@pytest.fixture(scope="session")
def quench_json() -> str:
    return compile_p4(str(QUENCH)).json


@pytest.fixture(scope="session")
def marking(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The entries as a file of their own, and the packets as a capture."""
    folder = tmp_path_factory.mktemp("marking")
    text = MARKING.read_text()
    packets = [statement.body for statement in parse(text, "marking.stf")]
    entries = folder / "entries.stf"
    entries.write_text("\n".join(line for line in text.splitlines() if not line.startswith("packet")))
    frames = [packet.data for packet in packets if isinstance(packet, Packet)]
    return entries, write_pcap(folder / "packets.pcap", frames)


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
