# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Names of cells in the entries of externs: numbers, or entries of a table.

An entry of a table stands in a ``Struct`` as the JSON that protobuf has for a ``TableEntry``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, Protocol

from google.protobuf import json_format
from google.protobuf.struct_pb2 import Value

from quench_switch.messages import p4r

from .errors import cut, invalid, out_of_range
from .matches import decode_entry_key
from .pipeline import ExternSpec, TableSpec
from .tables import TableEntries

if TYPE_CHECKING:
    from quench_switch._native import Key


class Place(Protocol):
    """The field of entries that names a cell."""

    name: str
    kind: str
    """The kind of its value in a ``Struct``."""

    def decode(self, value: Value, spec: ExternSpec, what: str) -> Any:
        """The cell that an entry means. Raises INVALID_ARGUMENT, OUT_OF_RANGE."""

    def all(self, spec: ExternSpec, tables: TableEntries) -> Iterator[Any]:
        """All cells; None lets others have their turn."""

    def encode(self, place: Any) -> Any:
        """The field's value for a cell."""


class Number:
    """A cell of an array."""

    kind = "number_value"

    def __init__(self, name: str) -> None:
        self.name = name

    def decode(self, value: Value, spec: ExternSpec, what: str) -> int:
        """The cell that an entry means."""
        place = value.number_value
        if not place.is_integer() or place < 0:
            raise invalid(f"{what}: {self.name} is not a whole number")
        if place >= spec.size:
            raise out_of_range(f"{what}: {self.name} {place:g}, there are {spec.size}")
        return int(place)

    def all(self, spec: ExternSpec, tables: TableEntries) -> Iterator[int]:  # noqa: ARG002 - arrays are in no table
        """All cells."""
        yield from range(spec.size)

    def encode(self, place: int) -> int:
        """The same."""
        return place


class OfEntry:
    """The cell of an entry of a table."""

    kind = "struct_value"
    name = "table_entry"

    def decode(self, value: Value, spec: ExternSpec, what: str) -> p4r.TableEntry:
        """The entry whose cell is meant."""
        table = _table(spec)
        entry = p4r.TableEntry()
        try:
            json_format.ParseDict(json_format.MessageToDict(value.struct_value), entry)
        except (json_format.ParseError, json_format.SerializeToJsonError) as error:
            raise invalid(cut(f"{what}: {self.name} is not the JSON of a TableEntry: {error}")) from None
        if entry.table_id not in (0, table.id):
            raise invalid(f"{what}: it belongs to {table}, and not to the table with the id {entry.table_id}")
        entry.table_id = table.id
        if entry != p4r.TableEntry(table_id=table.id, match=entry.match, priority=entry.priority):
            raise invalid(f"{what}: {self.name} has more than a match and a priority")
        key_of(spec, entry)
        return entry

    def all(self, spec: ExternSpec, tables: TableEntries) -> Iterator[p4r.TableEntry | None]:
        """The entries of the table, None after each page."""
        table = _table(spec)
        for found in tables.select(table, p4r.TableEntry(table_id=table.id)):
            yield found and p4r.TableEntry(table_id=table.id, match=found.match, priority=found.priority)

    def encode(self, place: p4r.TableEntry) -> dict[str, Any]:
        """The entry's JSON."""
        return json_format.MessageToDict(place, preserving_proto_field_name=True)


def key_of(spec: ExternSpec, entry: p4r.TableEntry) -> tuple[Key, int]:
    """Key and priority of an entry, as the data plane knows it."""
    return decode_entry_key(_table(spec), entry)


def _table(spec: ExternSpec) -> TableSpec:
    assert spec.table is not None, "a direct extern has a table"
    return spec.table


INDEX: Final = Number("index")
PORT: Final = Number("port")
ENTRY: Final = OfEntry()
