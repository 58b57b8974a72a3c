# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``FieldMatch`` messages to data-plane keys and back (specification, "Match Format")."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from finsy.proto import p4r

from .errors import invalid
from .pipeline import MatchSpec
from .values import ValueType

if TYPE_CHECKING:
    from quench_switch._native import MatchField


def decode_key(what: str, fields: Sequence[MatchSpec], matches: Iterable[p4r.FieldMatch]) -> list[MatchField]:
    """The data plane's key. Omitted ternary, LPM, range and optional fields match anything."""
    specs = {spec.id: spec for spec in fields}
    key: list[MatchField] = [None] * len(fields)
    seen: set[int] = set()
    for match in matches:
        spec = specs.get(match.field_id)
        if spec is None:
            raise invalid(f"{what} has no match field with id {match.field_id}")
        if match.field_id in seen:
            raise invalid(f"{spec.value.what} is given twice")
        seen.add(match.field_id)
        key[spec.position] = _decode(spec, match)
    for spec in fields:
        if spec.kind == "exact" and spec.id not in seen:
            raise invalid(f"{spec.value.what} is an exact match and has to be given")
    return key


def _decode(spec: MatchSpec, match: p4r.FieldMatch) -> MatchField:
    value_type = spec.value
    given = match.WhichOneof("field_match_type")
    if given != spec.kind:
        raise invalid(f"{value_type.what} is matched {spec.kind}, the request gives {given or 'nothing'}")
    if given == "exact":
        return ("exact", _bytes(value_type, value_type.decode(match.exact.value)))
    if given == "optional":
        value = _bytes(value_type, value_type.decode(match.optional.value))
        if spec.native_kind == "ternary":
            return ("ternary", value, _bytes(value_type, value_type.max_value))
        return ("optional", value)
    if given == "lpm":
        return _decode_lpm(value_type, match.lpm)
    if given == "ternary":
        return _decode_ternary(value_type, match.ternary)
    low, high = value_type.decode(match.range.low), value_type.decode(match.range.high)
    if low > high:
        raise invalid(f"{value_type.what}: range 0x{low:x}..0x{high:x} is empty")
    if (low, high) == (0, value_type.max_value):
        raise invalid(f"{value_type.what}: leave a match out instead of giving it the full range")
    return ("range", _bytes(value_type, low), _bytes(value_type, high))


def _decode_ternary(value_type: ValueType, ternary: p4r.FieldMatch.Ternary) -> MatchField:
    value, mask = value_type.decode(ternary.value), value_type.decode_mask(ternary.mask)
    if mask == 0:
        raise invalid(f"{value_type.what}: leave a match out instead of giving it an empty mask")
    if value & ~mask:
        raise invalid(f"{value_type.what}: value 0x{value:x} has bits outside its mask 0x{mask:x}")
    return ("ternary", _bytes(value_type, value), _bytes(value_type, mask))


def _decode_lpm(value_type: ValueType, lpm: p4r.FieldMatch.LPM) -> MatchField:
    value, length = value_type.decode(lpm.value), lpm.prefix_len
    if length == 0:
        raise invalid(f"{value_type.what}: leave a match out instead of giving it a prefix of 0 bits")
    if not 0 < length <= value_type.bits:
        raise invalid(f"{value_type.what}: a prefix of {length} bits does not fit {value_type.bits} bits")
    if value & ((1 << (value_type.bits - length)) - 1):
        raise invalid(f"{value_type.what}: 0x{value:x} has bits outside its {length} bit prefix")
    return ("lpm", _bytes(value_type, value), length)


def _bytes(value_type: ValueType, value: int) -> bytes:
    return value.to_bytes((value_type.bits + 7) // 8, "big")


def encode_key(fields: Iterable[MatchSpec], key: Sequence[MatchField]) -> list[p4r.FieldMatch]:
    """Canonical messages of a data-plane key: matches on anything are left out."""
    messages = []
    for spec in fields:
        message = _encode(spec, key[spec.position])
        if message is not None:
            messages.append(message)
    return messages


def _encode(spec: MatchSpec, match: MatchField) -> p4r.FieldMatch | None:
    if match is None:
        return None
    value_type = spec.value
    message = p4r.FieldMatch(field_id=spec.id)
    first = int.from_bytes(match[1], "big")
    if match[0] == "exact":
        message.exact.value = value_type.encode(first)
    elif match[0] == "optional":
        message.optional.value = value_type.encode(first)
    elif match[0] == "lpm":
        if match[2] == 0:
            return None
        message.lpm.value = value_type.encode(first)
        message.lpm.prefix_len = match[2]
    elif match[0] == "ternary":
        mask = int.from_bytes(match[2], "big")
        if mask == 0:
            return None
        if spec.kind == "optional":
            message.optional.value = value_type.encode(first)
            return message
        message.ternary.value = value_type.encode(first & mask)
        message.ternary.mask = value_type.encode_mask(mask)
    else:
        high = int.from_bytes(match[2], "big")
        if (first, high) == (0, value_type.max_value):
            return None
        message.range.low = value_type.encode(first)
        message.range.high = value_type.encode(high)
    return message
