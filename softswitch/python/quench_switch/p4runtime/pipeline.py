# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A forwarding-pipeline config as requests refer to it: by id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from quench_switch._native import Program
from quench_switch.messages import p4i, p4r

from .p4data import Types
from .values import ValueType


@dataclass(frozen=True, slots=True)
class MatchSpec:
    """One match field; ``position`` is its place in the data plane's key.

    ``native_kind`` differs from ``kind`` where the compiler lowers one to another: optional to ternary.
    """

    id: int
    name: str
    kind: str
    value: ValueType
    position: int
    native_kind: str


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """An action; ``params`` are (P4Info id, value type) in the data plane's order."""

    id: int
    name: str
    params: tuple[tuple[int, ValueType], ...]


@dataclass(frozen=True, slots=True)
class ProfileSpec:
    """An action profile or selector."""

    info: p4i.ActionProfile
    id: int
    name: str
    actions: Mapping[int, ActionSpec]
    """The actions that members may have: those of every table of the profile, for a member may occur in each."""


@dataclass(frozen=True, slots=True)
class TableSpec:
    """A match-action table."""

    info: p4i.Table
    id: int
    name: str
    fields: tuple[MatchSpec, ...]
    """The match fields in the data plane's order."""
    actions: Mapping[int, ActionSpec]
    scopes: Mapping[int, int]
    profile_id: int
    direct_counter: bool
    meter: p4i.MeterSpec | None
    """Type and unit of its direct meter."""
    idle_timeout: bool

    @property
    def direct_meter(self) -> bool:
        """Whether its entries have meters."""
        return self.meter is not None

    @property
    def needs_priority(self) -> bool:
        """Whether entries carry a priority: any ternary, range or optional field."""
        return any(spec.kind in ("ternary", "range", "optional") for spec in self.fields)

    def __str__(self) -> str:
        return f"table {self.name!r}"


@dataclass(frozen=True, slots=True)
class ValueSetSpec:
    """A parser value set."""

    id: int
    name: str
    size: int
    fields: tuple[MatchSpec, ...]


@dataclass(frozen=True, slots=True)
class ExternSpec:
    """An extern of Tofino's for which P4Runtime has no entity of its own."""

    kind: str
    """The name of its type in P4Info."""
    type_id: int
    id: int
    name: str
    size: int
    table: TableSpec | None = None
    """The table whose entries have the cells."""

    def __str__(self) -> str:
        return f"{self.kind} {self.name!r}"


@dataclass(frozen=True, slots=True)
class PacketHeaderSpec:
    """``packet_in`` or ``packet_out``: (metadata id, value type, is padding) in wire order."""

    fields: tuple[tuple[int, ValueType, bool], ...]

    @property
    def size_bytes(self) -> int:
        """Bytes in the packet; bits after the last field that fill a byte carry nothing."""
        return (sum(value.bits for _, value, _ in self.fields) + 7) // 8


@dataclass(frozen=True, slots=True)
class Pipeline:
    """All that P4Runtime requests refer to, resolved once per config."""

    config: p4r.ForwardingPipelineConfig
    program: Program
    """The program as a data plane loads it."""
    p4info: p4i.P4Info
    types: Types
    tables: Mapping[int, TableSpec]
    removed_tables: Mapping[int, str]
    """Tables of P4Info that the compiler took out of the program, for no packet can reach them: id and name."""
    actions: Mapping[int, ActionSpec]
    profiles: Mapping[int, ProfileSpec]
    counters: Mapping[int, p4i.Counter]
    meters: Mapping[int, p4i.Meter]
    registers: Mapping[int, p4i.Register]
    value_sets: Mapping[int, ValueSetSpec]
    digests: Mapping[int, p4i.Digest]
    digest_ids: Mapping[int, int]
    """P4Info digest id by the data plane's digest id."""
    externs: Mapping[int, ExternSpec]
    """The externs by the id of the instance."""
    packet_in: PacketHeaderSpec | None
    packet_out: PacketHeaderSpec | None
    actions_by_name: Mapping[str, ActionSpec] = field(default_factory=dict)
    tables_by_name: Mapping[str, TableSpec] = field(default_factory=dict)
