# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Names and values of STF statements in the terms of a loaded program.

Names may be abbreviated to a suffix that is unique, as in BMv2's runtime CLI.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .statements import Action, Match

if TYPE_CHECKING:
    from quench_switch._native import Key, MatchField


class StfError(RuntimeError):
    """A statement that cannot be carried out on the program."""


@dataclass(frozen=True, slots=True)
class Handle:
    """An entry that ``= name`` or its place in the table names."""

    table: str
    key: Key
    priority: int


def resolve(name: str, known: Iterable[str], what: str) -> str:
    """The full name that ``name`` is, or is the only suffix of. Whole components win over parts of one.

    Tofino's tables and objects have the pipeline's name before theirs, its actions do not: it may always stand there.
    """
    names = list(known)
    if name in names:
        return name
    if (bare := name.removeprefix("pipe.")) in names:
        return bare
    for candidates in (
        [full for full in names if full.endswith(f".{name}")],
        [full for full in names if full.endswith(name)],
    ):
        if len(candidates) == 1:
            return candidates[0]
        if candidates:
            raise StfError(f"{what} {name!r} is ambiguous: {', '.join(candidates)}")
    raise StfError(f"no {what} {name!r}; the program has {', '.join(names) or 'none'}")


def resolve_field(name: str, known: Sequence[str]) -> int:
    """Index of a key field. ``$0`` means ``[0]``; validity may be written ``h.$valid`` or ``h.valid``."""
    name = re.sub(r"\$([0-9]+)", r"[\1]", name)
    spellings = [name, f"{name}$", f"{name}.$valid$"]
    if name == "valid":
        spellings.append("$valid$")
    if name.endswith(".valid"):
        spellings.append(name.removesuffix("valid") + "$valid$")
    for spelling in spellings:
        if spelling in known:
            return known.index(spelling)
    for spelling in spellings:
        found = [place for place, full in enumerate(known) if full.endswith(f".{spelling}")]
        if len(found) == 1:
            return found[0]
        if found:
            raise StfError(f"field {name!r} is ambiguous: {', '.join(known[place] for place in found)}")
    raise StfError(f"no key field {name!r}; the table has {', '.join(known)}")


_DIGIT_BITS = {"x": 4, "b": 1, "o": 3}


def _digits(text: str) -> tuple[str, int]:
    """Digits and bits per digit of a number with a prefix, ``("", 0)`` for a decimal one."""
    bits = _DIGIT_BITS.get(text[1:2].lower(), 0)
    return (text[2:], bits) if bits else ("", 0)


def number(text: str) -> int:
    """Value of a decimal, hexadecimal, octal or binary number."""
    try:
        return int(text) if text.isdigit() else int(text, 0)
    except ValueError:
        raise StfError(f"{text!r} is not a number") from None


def _to_bytes(value: int, bits: int, what: str) -> bytes:
    if value < 0 or value >> bits:
        raise StfError(f"{what}: {value:#x} does not fit in {bits} bits")
    return value.to_bytes(max(1, (bits + 7) // 8), "big")


def _ternary(text: str, bits: int) -> tuple[int, int]:
    """Value and mask. Only the digits that are written have to match, and of these not the ``*``."""
    if "&&&" in text:
        left, right = text.split("&&&")
        return number(left), number(right)
    digits, digit_bits = _digits(text)
    if not digits:
        return number(text), (1 << bits) - 1
    value = mask = 0
    for digit in digits:
        value, mask = value << digit_bits, mask << digit_bits
        if digit != "*":
            value |= int(digit, 1 << digit_bits)
            mask |= (1 << digit_bits) - 1
    return value, mask & ((1 << bits) - 1)


def _prefix(text: str, bits: int) -> tuple[int, int]:
    """Value and prefix length; trailing ``*`` digits shorten the prefix."""
    if "/" in text:
        value, length = text.split("/")
        return number(value), number(length)
    if "*" not in text:
        return number(text), bits
    digits, digit_bits = _digits(text)
    stars = len(digits) - len(digits.rstrip("*"))
    return number(text.replace("*", "0")), max(0, bits - stars * digit_bits)


def _range(text: str) -> tuple[int, int]:
    low, dots, high = text.partition("..")
    return number(low), number(high if dots else low)


def match_field(kind: str, bits: int, text: str, what: str) -> MatchField:
    """Data-plane match of a value as written."""
    if text == "*":
        if kind in ("exact", "valid"):
            raise StfError(f"{what} is matched exactly")
        return None
    if kind == "ternary":
        wanted, mask = _ternary(text, bits)
        return ("ternary", _to_bytes(wanted & mask, bits, what), _to_bytes(mask, bits, what))
    if kind == "lpm":
        start, length = _prefix(text, bits)
        if length > bits:
            raise StfError(f"{what}: a prefix of {length} bits, the field has {bits}")
        shift = bits - length
        return ("lpm", _to_bytes(start >> shift << shift, bits, what), length)
    if kind == "range":
        low, high = _range(text)
        return ("range", _to_bytes(low, bits, what), _to_bytes(high, bits, what))
    value = _to_bytes(number(text), bits, what)
    return ("optional", value) if kind == "optional" else ("exact", value)


def table_key(table: Mapping[str, Any], matches: Iterable[Match]) -> list[MatchField]:
    """Key of an entry. Fields that are not named match anything, exact ones zero."""
    fields = table["key"]
    names = [field["name"] for field in fields]
    key: list[MatchField] = [("exact", b"\0") if field["match"] in ("exact", "valid") else None for field in fields]
    for match in matches:
        place = resolve_field(match.field, names)
        field = fields[place]
        key[place] = match_field(field["match"], field["bits"], match.value, f"field {match.field!r}")
    return key


def action_call(
    actions: Mapping[str, Mapping[str, Any]], allowed: Iterable[str], action: Action
) -> tuple[str, list[bytes]]:
    """Data-plane call of an action with its arguments in order."""
    name = resolve(action.name, allowed, "action")
    params = actions[name]["params"]
    given = dict(action.args)
    if len(given) != len(action.args):
        raise StfError(f"action {name!r}: an argument is given twice")
    values = []
    for param in params:
        if param["name"] not in given:
            raise StfError(f"action {name!r}: argument {param['name']!r} is missing")
        value = number(given.pop(param["name"]))
        values.append(_to_bytes(value, param["bits"], f"argument {param['name']!r}"))
    if given:
        raise StfError(f"action {name!r} has no argument {min(given)!r}")
    return name, values
