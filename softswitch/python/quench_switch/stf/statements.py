# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The statements of an STF file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Match:
    """``field:value`` of an ``add``; the value's meaning depends on the match kind of the field."""

    field: str
    value: str


@dataclass(frozen=True, slots=True)
class Action:
    """``name(arg:value, ...)``."""

    name: str
    args: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Add:
    """Insert an entry; the larger priority wins; ``handle`` names it for later statements."""

    table: str
    priority: int | None
    matches: tuple[Match, ...]
    action: Action
    handle: str | None


@dataclass(frozen=True, slots=True)
class SetDefault:
    """Set the default action of a table."""

    table: str
    action: Action


@dataclass(frozen=True, slots=True)
class Remove:
    """Remove one entry, by handle or by match, or all entries of all tables."""

    table: str | None = None
    priority: int | None = None
    matches: tuple[Match, ...] = ()
    handle: str | None = None


@dataclass(frozen=True, slots=True)
class AddMember:
    """Insert a member of an action profile; entries and groups refer to it by its number."""

    profile: str
    member: int
    action: Action


@dataclass(frozen=True, slots=True)
class Packet:
    """Send a packet into a port."""

    port: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Expect:
    """The next packet out of a port; ``pattern`` is upper-case hex with ``*`` digits, None for any packets."""

    port: int
    pattern: str | None
    exact_length: bool


@dataclass(frozen=True, slots=True)
class ExpectLog:
    """The next message of the program's ``log_msg``."""

    text: str


@dataclass(frozen=True, slots=True)
class ExpectDigest:
    """The next digest message of the program, with the values of its fields."""

    digest: str
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NoPacket:
    """Nothing beyond what was expected so far has come out."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Let the switch finish, and a second pass."""


Comparison = Literal["==", "!=", "<", "<=", ">", ">="]


@dataclass(frozen=True, slots=True)
class CheckCounter:
    """Compare a counter: of an array by index, of an entry by the entry's handle."""

    counter: str
    index: int | str
    unit: Literal["packets", "bytes"] | None
    comparison: Comparison
    value: int


@dataclass(frozen=True, slots=True)
class Command:
    """A command of BMv2's runtime CLI, with its arguments as they stand."""

    name: str
    args: tuple[str, ...]


Body = (
    Add
    | SetDefault
    | Remove
    | AddMember
    | Packet
    | Expect
    | ExpectLog
    | ExpectDigest
    | NoPacket
    | Wait
    | CheckCounter
    | Command
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement and the line it stands on."""

    line: int
    body: Body
