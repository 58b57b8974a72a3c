# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The reference state: what a switch has to hold, in plain dictionaries."""

from __future__ import annotations

from dataclasses import dataclass, field

from finsy.proto import p4r

from .keys import Key
from .program import Call, Program

Choice = tuple[Call, int, int | None]
"""One action of a one-shot set: call, weight, watch port."""


@dataclass(frozen=True)
class EntryAction:
    """The action of an entry: a call, a reference to a member or group, or a one-shot set; one of them."""

    call: Call | None = None
    member: int | None = None
    group: int | None = None
    oneshot: tuple[Choice, ...] | None = None
    mode: p4r.ActionProfileActionSet.ActionSelectionMode.ValueType = (
        p4r.ActionProfileActionSet.DEFAULT_MODE_DETERMINED_BY_ACTION_SELECTOR
    )
    semantics: p4r.ActionProfileActionSet.SizeSemantics.ValueType = (
        p4r.ActionProfileActionSet.DEFAULT_SIZE_DETERMINED_BY_ACTION_SELECTOR
    )
    """Both of one-shot sets."""


def calls(call: Call | None) -> EntryAction | None:
    """The action of an entry that the program gives."""
    return None if call is None else EntryAction(call=call)


Rates = tuple[int, int, int, int, int]
"""cir, cburst, pir, pburst, eburst."""


@dataclass
class Entry:
    """A table entry."""

    action: EntryAction | None
    """The action; None for one that P4Info does not show."""
    is_const: bool = False
    """The program's for good: all in it stays but direct resources."""
    metadata: bytes = b""
    controller_metadata: int = 0
    idle_timeout_ns: int = 0
    counter: tuple[int, int] = (0, 0)
    """Packets and bytes."""
    meter: Rates | None = None


@dataclass
class TableState:
    """Entries by (key, priority), and the default entry."""

    entries: dict[tuple[Key, int], Entry]
    default: Entry
    default_is_set: bool = False
    """Whether a client set it: another program brings a default of its own."""


@dataclass
class Group:
    """Members as (member id, weight, watch port)."""

    members: tuple[tuple[int, int, int | None], ...]
    max_size: int


@dataclass
class State:
    """All entities of one program."""

    program: Program
    tables: dict[int, TableState]
    members: dict[int, dict[int, Call]]
    groups: dict[int, dict[int, Group]]
    counters: dict[int, list[tuple[int, int]]]
    meters: dict[int, list[Rates | None]]
    registers: dict[int, list[int | bool]]
    value_sets: dict[int, list[Key]]
    multicast_groups: dict[int, p4r.MulticastGroupEntry] = field(default_factory=dict)
    clone_sessions: dict[int, p4r.CloneSessionEntry] = field(default_factory=dict)
    digests: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    """max_timeout_ns, max_list_size and ack_timeout_ns by digest id."""
    packets_ran: bool = False
    """Whether packets may have changed counters and registers, whose values are then not compared."""

    def has_oneshots(self, profile_id: int) -> bool:
        """Whether an entry of the profile's tables holds a one-shot set."""
        return any(
            entry.action is not None and entry.action.oneshot is not None
            for table in self.program.profiles[profile_id].tables
            for entry in self.tables[table.id].entries.values()
        )

    def is_used(self, profile_id: int, kind: str, number: int) -> bool:
        """Whether an entry, or a group, refers to a member or group."""
        if kind == "member" and any(
            number == member for group in self.groups[profile_id].values() for member, _, _ in group.members
        ):
            return True
        return any(
            entry.action is not None and getattr(entry.action, kind) == number
            for table in self.program.profiles[profile_id].tables
            for entry in self.tables[table.id].entries.values()
        )


def initial_state(program: Program) -> State:
    """The state right after a program was loaded."""
    return State(
        program=program,
        tables={
            number: TableState(
                entries={place: Entry(calls(call), place in table.constant) for place, call in table.initial.items()},
                default=Entry(calls(table.default)),
            )
            for number, table in program.tables.items()
        },
        members={number: {} for number in program.profiles},
        groups={number: {} for number in program.profiles},
        counters={number: [(0, 0)] * counter.size for number, counter in program.counters.items()},
        meters={number: [None] * meter.size for number, meter in program.meters.items()},
        registers={
            number: [False if scalar.kind == "bool" else 0] * register.size
            for number, (register, scalar) in program.registers.items()
        },
        value_sets={number: [] for number in program.value_sets},
    )
