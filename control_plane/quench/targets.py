# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The switches that ``--target`` names, and what differs between them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from quench_switch.arch import TNA as TNA_ARCHITECTURE
from quench_switch.arch import V1MODEL, Architecture

from quench.places import PROGRAM


@dataclass(frozen=True, slots=True)
class Target:
    """A switch with Quench's program for it."""

    name: str
    title: str
    """The words that people read."""
    command: Literal["quench switch", "simple_switch_grpc"]
    architecture: Architecture
    program: Path
    """The JSON of Quench's program, with its P4Info beside it."""
    has_links: bool = True
    """Whether links delay and lose packets, and the queues of a port share its rate."""
    takes_all_entities: bool = True
    """Whether it takes registers, value sets and the rates of whole meters over P4Runtime."""
    has_virtual_time: bool = True
    """Whether a process of its user can be the switch, in a time of its own."""


EMBEDDED: Final = Target("embedded", "Quench's embedded switch", "quench switch", V1MODEL, PROGRAM)
BMV2: Final = Target(
    "bmv2",
    "BMv2",
    "simple_switch_grpc",
    V1MODEL,
    PROGRAM.parent / "bmv2" / PROGRAM.name,
    has_links=False,
    takes_all_entities=False,
    has_virtual_time=False,
)
TNA: Final = Target(
    "tna",
    "Quench's embedded switch with Tofino's architecture",
    "quench switch",
    TNA_ARCHITECTURE,
    PROGRAM.with_name("quench_tna.json"),
)
TARGETS: Final = {each.name: each for each in (EMBEDDED, BMV2, TNA)}
