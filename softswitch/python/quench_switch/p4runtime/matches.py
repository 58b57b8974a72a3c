# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``FieldMatch`` messages to data-plane keys and back (specification, "Match Format")."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from quench_switch._native import KeyForm
from quench_switch.errors import DataPlaneError
from quench_switch.messages import p4r

from .errors import RequestError
from .pipeline import MatchSpec, TableSpec
from .updates import known

if TYPE_CHECKING:
    from quench_switch._native import Key, MatchField


def decode_key(what: str, fields: Sequence[MatchSpec], matches: Iterable[p4r.FieldMatch]) -> Key:
    """The data plane's key. Omitted ternary, LPM, range and optional fields match anything."""
    try:
        return KeyForm(what, fields).decode([known(match) for match in matches])
    except DataPlaneError as error:
        raise RequestError.of_data_plane(error) from error


def decode_entry_key(table: TableSpec, entry: p4r.TableEntry) -> tuple[Key, int]:
    """Key and priority of a match entry."""
    try:
        return KeyForm(str(table), table.fields).entry_key(known(entry))
    except DataPlaneError as error:
        raise RequestError.of_data_plane(error) from error


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
