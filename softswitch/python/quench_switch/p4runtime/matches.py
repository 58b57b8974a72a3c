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
    from quench_switch._native import Key


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


def encode_key(fields: Sequence[MatchSpec], key: Key) -> list[p4r.FieldMatch]:
    """Canonical messages of a data-plane key: matches on anything are left out."""
    return [p4r.FieldMatch.FromString(data) for data in KeyForm("", fields).encode(key)]
