# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Externs of Tofino programs: ``ExternEntry`` with a ``google.protobuf.Struct`` (softswitch/docs/p4runtime.md).

P4Runtime leaves the content of such an entry to client and server. Each type of extern has a form of its own: filters
in ``filters``, the metadata of ports in ``port_metadata``; ``extern_places`` is how a form names its cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol

from google.protobuf.message import DecodeError
from google.protobuf.struct_pb2 import Struct

from quench_switch.messages import p4r

from .errors import cut, invalid, not_found
from .extern_places import Place
from .filters import DIRECT_LPF, DIRECT_WRED, LPF, WRED
from .pipeline import ExternSpec
from .port_metadata import PORT_METADATA
from .state import State, only_modify
from .tables import TableEntries

if TYPE_CHECKING:
    from quench_switch._native import Control

Fields = Mapping[str, float | str]


class Form(Protocol):
    """The form of the entries of a type of extern."""

    numbers: frozenset[str]
    """Fields that are numbers, without the place."""
    texts: frozenset[str]

    @property
    def place(self) -> Place:
        """The field that tells the cells of an extern apart."""

    def set(self, changes: Control, spec: ExternSpec, place: Any, fields: Fields, what: str) -> None:
        """Stage the change of a cell to what an entry says, all of whose fields are there."""

    def get(self, control: Control, spec: ExternSpec, place: Any) -> dict[str, Any]:
        """The fields of a cell but for its place; none where nobody has set it."""


FORMS: Final[Mapping[str, Form]] = {
    "Lpf": LPF,
    "Wred": WRED,
    "DirectLpf": DIRECT_LPF,
    "DirectWred": DIRECT_WRED,
    "PortMetadata": PORT_METADATA,
}
"""The forms by the name of the type in P4Info."""


class Externs:
    """Writes and reads of ``ExternEntry``."""

    def __init__(self, state: State, tables: TableEntries) -> None:
        self._state = state
        self._tables = tables

    def write(self, kind: int, entry: p4r.ExternEntry) -> None:
        """Set one cell; a filter forgets its average."""
        spec = self._find(entry)
        what, form = str(spec), FORMS[spec.kind]
        only_modify(kind, what)
        place, fields = _content(entry, spec)
        if place is None:
            raise invalid(f"{what}: the entry has no {form.place.name}")
        for name in sorted(form.texts | form.numbers):
            if name not in fields:
                raise invalid(f"{what}: the entry has no {name}")
        form.set(self._state.changes, spec, place, fields, what)

    def read(self, entry: p4r.ExternEntry) -> Iterator[p4r.Entity | None]:
        """Cells that the request selects: all, those of one extern, or one."""
        only = None
        if entry.extern_id == 0:
            if _has_content(entry):
                raise invalid("an entry needs the extern_id of an extern")
            specs = list(self._state.pipeline.externs.values())
            if entry.extern_type_id:
                specs = [spec for spec in specs if spec.type_id == entry.extern_type_id]
        else:
            specs = [self._find(entry)]
            only, _ = _content(entry, specs[0])
        for spec in specs:
            form = FORMS[spec.kind]
            for place in form.place.all(spec, self._tables) if only is None else (only,):
                if place is None:
                    yield None
                    continue
                values = form.get(self._state.control, spec, place)
                yield _entity(spec, {form.place.name: form.place.encode(place), **values})

    def _find(self, entry: p4r.ExternEntry) -> ExternSpec:
        spec = self._state.pipeline.externs.get(entry.extern_id)
        if spec is None or spec.type_id != entry.extern_type_id:
            raise not_found(
                f"no {', '.join(FORMS)} has extern_type_id {entry.extern_type_id} and extern_id {entry.extern_id}: "
                "other externs have entities of their own, or none"
            )
        return spec


def is_configured(entry: p4r.ExternEntry) -> bool:
    """Whether an entry that was read says more than its place."""
    content = Struct()
    return entry.entry.Unpack(content) and len(content.fields) > 1


def _entity(spec: ExternSpec, values: Mapping[str, Any]) -> p4r.Entity:
    fields = Struct()
    fields.update(dict(values))
    entry = p4r.ExternEntry(extern_type_id=spec.type_id, extern_id=spec.id)
    entry.entry.Pack(fields, deterministic=True)
    return p4r.Entity(extern_entry=entry)


def _has_content(entry: p4r.ExternEntry) -> bool:
    """Whether an entry says anything: clients send an empty message where they mean none."""
    return bool(entry.entry.type_url or entry.entry.value)


def _content(entry: p4r.ExternEntry, spec: ExternSpec) -> tuple[Any, Fields]:
    """The cell that an entry means, None where it names none, and its other values. Raises INVALID_ARGUMENT."""
    content, what, form = Struct(), str(spec), FORMS[spec.kind]
    if not _has_content(entry):
        return None, {}
    try:
        if not entry.entry.Unpack(content):
            raise invalid(cut(f"{what}: the entry is a {entry.entry.type_url!r}, not a google.protobuf.Struct"))
    except DecodeError:
        raise invalid(f"{what}: the entry is not a google.protobuf.Struct") from None
    wanted = {form.place.name: form.place.kind}
    wanted |= dict.fromkeys(form.numbers, "number_value") | dict.fromkeys(form.texts, "string_value")
    found: dict[str, float | str] = {}
    place = None
    for name, value in content.fields.items():
        if name not in wanted:
            raise invalid(cut(f"{what}: there is no field {name!r}: known are {', '.join(sorted(wanted))}"))
        if value.WhichOneof("kind") != wanted[name]:
            raise invalid(f"{what}: {name} is not a {wanted[name].partition('_')[0]}")
        if name == form.place.name:
            place = form.place.decode(value, spec, what)
        else:
            found[name] = getattr(value, wanted[name])
    return place, found
