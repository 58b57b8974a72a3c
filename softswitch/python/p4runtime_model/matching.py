# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Rules of match keys (specification, "Match Format")."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from finsy.proto import p4r

from .keys import FieldKey, Key
from .program import Field, Table
from .verdict import Verdict


def judge_key(fields: Sequence[Field], matches: Iterable[p4r.FieldMatch], verdict: Verdict) -> Key | None:
    """The key of a message, None if it breaks a rule."""
    by_id = {match.id: match for match in fields}
    found: dict[int, FieldKey] = {}
    is_good = True
    for given in matches:
        match = by_id.get(given.field_id)
        if match is None:
            verdict.invalid(f"no match field has id {given.field_id}")
            is_good = False
            continue
        if match.id in found:
            verdict.invalid(f"field {match.name!r} is given twice")
            is_good = False
        found[match.id] = key = _judge_field(match, given, verdict)
        is_good = is_good and key is not None
    for match in fields:
        if match.kind == "exact" and match.id not in found:
            verdict.invalid(f"exact field {match.name!r} is missing")
            is_good = False
    return tuple(found.get(match.id) for match in fields) if is_good else None


def _judge_field(match: Field, given: p4r.FieldMatch, verdict: Verdict) -> FieldKey:
    kind, what = given.WhichOneof("field_match_type"), f"field {match.name!r}"
    if kind != match.kind:
        verdict.invalid(f"{what} is {match.kind}, given is {kind}")
        return None
    if kind in {"exact", "optional"}:
        value = match.width.parse(getattr(given, kind).value, what, verdict)
        return None if value is None else (kind, value)
    if kind == "lpm":
        return _judge_lpm(match, given.lpm, verdict)
    if kind == "ternary":
        value = match.width.parse(given.ternary.value, what, verdict)
        mask = match.width.parse(given.ternary.mask, what, verdict)
        if mask == 0:
            verdict.invalid(f"{what}: an empty mask has to be left out")
        if value is None or not mask:
            return None
        if value & ~mask:
            verdict.invalid(f"{what}: the value has bits outside its mask")
            return None
        return (kind, value, mask)
    low = match.width.parse(given.range.low, what, verdict)
    high = match.width.parse(given.range.high, what, verdict)
    if low is None or high is None:
        return None
    if low > high or (low, high) == (0, (1 << match.bits) - 1):
        verdict.invalid(f"{what}: range {low}..{high} is empty or everything")
        return None
    return ("range", low, high)


def _judge_lpm(match: Field, lpm: p4r.FieldMatch.LPM, verdict: Verdict) -> FieldKey:
    value = match.width.parse(lpm.value, f"field {match.name!r}", verdict)
    if not 0 < lpm.prefix_len <= match.bits:
        verdict.invalid(f"field {match.name!r}: prefix length {lpm.prefix_len}")
        return None
    if value is None:
        return None
    if value & ((1 << (match.bits - lpm.prefix_len)) - 1):
        verdict.invalid(f"field {match.name!r}: bits after the prefix")
        return None
    return ("lpm", value, lpm.prefix_len)


def judge_entry_key(table: Table, entry: p4r.TableEntry, verdict: Verdict) -> tuple[Key, int] | None:
    """The identity of a table's entry: its key and its priority."""
    has_right_priority = entry.priority > 0 if table.needs_priority else entry.priority == 0
    if not has_right_priority:
        verdict.invalid(f"priority {entry.priority}")
    if not table.fields:
        verdict.invalid("a keyless table has no entries")
    key = judge_key(table.fields, entry.match, verdict)
    return (key, entry.priority) if key and has_right_priority else None
