# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The architectures that ``--arch`` takes, each with the properties that tools have to know."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Arch(StrEnum):
    """The architecture that a program is written for."""

    V1MODEL = "v1model"
    TNA = "tna"


@dataclass(frozen=True, slots=True)
class Architecture:
    """An architecture, as far as tools outside the compiler and the data plane have to know it."""

    arch: Arch
    cpu_port: int | None = None
    """The port to which ``copy_to_cpu`` sends; None: programs choose a port themselves."""
    recirculation_ports: range = range(0)
    """The ports of a pipe whose packets come back to the program."""
    last_port: int | None = None
    """The last port on which there may be a link where a chip has one pipe; None: there is no such limit."""
    has_clock: bool = False
    """Whether programs see a chip's clock: its filters decay with it."""
    has_packet_generator: bool = False
    p4info_by_barefoot: bool = False
    """Whether P4Info has the pipe in its names, and describes counters and the like as externs of its own."""
    registers_start_at_zero: bool = True


V1MODEL: Final = Architecture(Arch.V1MODEL)
TNA: Final = Architecture(
    Arch.TNA,
    cpu_port=320,
    recirculation_ports=range(68, 72),
    last_port=67,
    has_clock=True,
    has_packet_generator=True,
    p4info_by_barefoot=True,
    registers_start_at_zero=False,
)
ARCHITECTURES: Final = {each.arch.value: each for each in (V1MODEL, TNA)}


def architecture(name: object) -> Architecture:
    """The architecture of a name in P4Info or in a program's JSON; v1model where it is none of ours."""
    return ARCHITECTURES.get(name, V1MODEL) if isinstance(name, str) else V1MODEL
