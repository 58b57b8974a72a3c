# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""From the words of a command to entities of any P4 program, by its P4Info. finsy encodes the values.

Names are those of the P4Info, their aliases, or the end of a name after a dot, if only one object ends so.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import finsy as fy
from finsy import p4schema, p4values
from finsy.p4schema import P4MatchType

from quench.errors import ControllerError

MOST_NAMES = 20
"""Names that an error lists."""
PRIORITISED = (P4MatchType.TERNARY, P4MatchType.RANGE, P4MatchType.OPTIONAL)
"""Kinds of match of which several entries may fit a packet: the largest priority counts."""
_FAULTS = (ValueError, LookupError, AssertionError, AttributeError, TypeError, OverflowError)
"""Exceptions of finsy for values that the P4Info does not allow."""

Named = TypeVar("Named")


def find(objects: Iterable[Named], kind: str, name: str) -> Named:
    """The object of this name. Raises ControllerError."""
    found = list(objects)
    names = [str(getattr(each, "name", "")) for each in found]
    exact = [each for each, full in zip(found, names, strict=True) if name in {full, getattr(each, "alias", full)}]
    ending = [each for each, full in zip(found, names, strict=True) if full.endswith(f".{name}")]
    for candidates in (exact, ending):
        if len(candidates) == 1:
            return candidates[0]
    fits = [str(getattr(each, "name", "")) for each in ending] or names
    shown = ", ".join(sorted(fits)[:MOST_NAMES]) + (", ..." if len(fits) > MOST_NAMES else "")
    if ending:
        raise ControllerError(f"{kind} {name!r}: several end so: {shown}")
    raise ControllerError(f"there is no {kind} {name!r}: " + (f"there are {shown}" if fits else "there is none at all"))


def pairs(words: Iterable[str]) -> dict[str, str]:
    """``NAME=VALUE`` each. Raises ControllerError."""
    values: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not (name and equals and value):
            raise ControllerError(f"{word!r} is not NAME=VALUE")
        if name in values:
            raise ControllerError(f"{name} is given twice")
        values[name] = value
    return values


def split_action(words: Sequence[str]) -> tuple[Sequence[str], str | None, Sequence[str]]:
    """Keys, the action, and its arguments: the first word without ``=`` is the action."""
    for place, word in enumerate(words):
        if "=" not in word:
            return words[:place], word, words[place + 1 :]
    return words, None, ()


def entry(schema: fy.P4Schema, table: p4schema.P4Table, words: Sequence[str], priority: int | None) -> fy.P4TableEntry:
    """The entry that ``KEY=VALUE... [ACTION ARG=VALUE...]`` describes. Raises ControllerError."""
    keys, name, arguments = split_action(words)
    made = fy.P4TableEntry(
        table.name,
        match=_match(table, pairs(keys)),
        action=None if name is None else action(table, name, arguments),
        priority=_priority(table, priority),
    )
    return checked(made, schema, f"table {table.name}")


def default(schema: fy.P4Schema, table: p4schema.P4Table, words: Sequence[str]) -> fy.P4TableEntry:
    """The default entry ``ACTION ARG=VALUE...``; without words the program's own. Raises ControllerError."""
    made = action(table, words[0], words[1:]) if words else None
    entity = fy.P4TableEntry(table.name, action=made, is_default_action=True)
    return checked(entity, schema, f"table {table.name}")


def action(table: p4schema.P4Table, name: str, arguments: Sequence[str]) -> fy.P4TableAction:
    """An action of a table with all of its arguments. Raises ControllerError."""
    found = find(table.actions, f"action of {table.name}", name)
    params = list(found.params)
    values = {find(params, f"argument of {found.name}", each).name: value for each, value in pairs(arguments).items()}
    missing = [param.name for param in params if param.name not in values]
    if missing:
        raise ControllerError(f"action {found.name} needs {', '.join(missing)}")
    return fy.P4TableAction(found.name, **values)


def packet_out(schema: fy.P4Schema, payload: bytes, words: Sequence[str]) -> fy.P4PacketOut:
    """A packet-out with ``FIELD=VALUE...`` as its metadata; padding is 0. Raises ControllerError."""
    header = schema.controller_packet_metadata.get("packet_out")
    fields = [] if header is None else list(header.metadata)
    values = {find(fields, "field of packet_out", name).name: value for name, value in pairs(words).items()}
    for field in fields:
        if any(note.name == "padding" for note in field.annotations):
            values.setdefault(field.name, "0")
    missing = [field.name for field in fields if field.name not in values]
    if missing:
        raise ControllerError(f"packet_out needs {', '.join(missing)}")
    made = fy.P4PacketOut(payload, **values)
    if header is None:
        raise ControllerError("the program has no header 'packet_out': its switch takes no packet from a controller")
    return checked(made, schema, "packet_out")


def data(text: str) -> Any:
    """A register's value: a number, or JSON for one with several parts. Raises ControllerError."""
    try:
        return int(text, 0)
    except ValueError:
        pass
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise ControllerError(f"{text[:40]!r} is neither a number nor JSON") from None


Encodable = TypeVar(
    "Encodable", fy.P4TableEntry, fy.P4CounterEntry, fy.P4MeterEntry, fy.P4RegisterEntry, fy.P4PacketOut
)


def checked(entity: Encodable, schema: fy.P4Schema, what: str) -> Encodable:
    """The same entity, which can be encoded. Raises ControllerError."""
    try:
        if isinstance(entity, fy.P4PacketOut):
            entity.encode_update(schema)
        else:
            entity.encode(schema)
    except _FAULTS as error:
        raise ControllerError(f"{what}: {error}") from error
    return entity


def _match(table: p4schema.P4Table, given: Mapping[str, str]) -> fy.P4TableMatch:
    fields = list(table.match_fields)
    values: dict[str, str] = {}
    for name, value in given.items():
        field = find(fields, f"key of {table.name}", name)
        words = _in_finsys_words(field.match_type, value)
        if value != "*" and not _is_full_range(field, words):
            values[field.name] = words
    missing = [field.name for field in fields if field.match_type == P4MatchType.EXACT and field.name not in values]
    if missing:
        raise ControllerError(f"table {table.name} needs {', '.join(missing)}")
    return fy.P4TableMatch(values)


def _is_full_range(field: p4schema.P4MatchField, value: str) -> bool:
    """Whether a range has all values, which P4Runtime wants left out. finsy leaves out prefixes and masks of 0."""
    if field.match_type != P4MatchType.RANGE:
        return False
    try:
        low, high = (int.from_bytes(bound, "big") for bound in p4values.encode_range(value, field.bitwidth))
    except _FAULTS:
        # The encoding of the entry names the fault of a wrong one.
        return False
    return (low, high) == (0, (1 << field.bitwidth) - 1)


def _in_finsys_words(kind: P4MatchType | str, value: str) -> str:
    """P4's own ``&&&`` and ``..`` as finsy writes them."""
    if kind == P4MatchType.TERNARY:
        return value.replace("&&&", "/&")
    if kind == P4MatchType.RANGE and "..." not in value:
        return value.replace("..", "...")
    return value


def _priority(table: p4schema.P4Table, priority: int | None) -> int:
    kinds = {field.match_type for field in table.match_fields}
    if kinds & set(PRIORITISED):
        if not priority:
            raise ControllerError(f"table {table.name} needs --priority: of the entries that fit, the largest counts")
        return priority
    if priority is not None:
        raise ControllerError(f"table {table.name} takes no --priority: at most one of its entries fits a packet")
    return 0
