# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Low-pass filters of Tofino programs: ``ExternEntry`` with a ``google.protobuf.Struct`` (docs/reference/p4runtime.md).

P4Runtime leaves the content of such an entry to client and server.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import TYPE_CHECKING, Final

from finsy.proto import p4r
from google.protobuf.message import DecodeError
from google.protobuf.struct_pb2 import Struct

from .errors import cut, invalid, not_found, out_of_range, unimplemented
from .pipeline import FilterSpec
from .state import State, only_modify

if TYPE_CHECKING:
    from quench_switch._native import FilterConfig

INDEX: Final = "index"
TYPE: Final = "type"
GAIN: Final = "gain_time_constant_ns"
DECAY: Final = "decay_time_constant_ns"
SCALE: Final = "out_scale_down_factor"
MOST_SCALE: Final = 31
_FIELDS: Final = (INDEX, TYPE, GAIN, DECAY, SCALE)


class Filters:
    """Writes and reads of ``ExternEntry``."""

    def __init__(self, state: State) -> None:
        self._state = state

    def write(self, kind: int, entry: p4r.ExternEntry) -> None:
        """Set one filter, which forgets its average."""
        spec = self._find(entry)
        what = f"filter {spec.name!r}"
        only_modify(kind, what)
        if not hasattr(self._state.changes, "set_filter_config"):
            raise unimplemented(f"{what}: this build of the data plane has no filters")
        fields = _fields(entry, what)
        index = _index(fields, spec, what)
        if index is None:
            raise invalid(f"{what}: the entry has no {INDEX}")
        self._state.changes.set_filter_config(spec.name, index, *_config(fields, what))

    def read(self, entry: p4r.ExternEntry) -> Iterator[p4r.Entity | None]:
        """Filters that the request selects: all, those of one array, or one."""
        if entry.extern_id == 0:
            if entry.entry.ByteSize():
                raise invalid("an entry needs the extern_id of a filter")
            specs = list(self._state.pipeline.filters.values())
            if entry.extern_type_id:
                specs = [spec for spec in specs if spec.type_id == entry.extern_type_id]
            index = None
        else:
            spec = self._find(entry)
            specs = [spec]
            index = _index(_fields(entry, f"filter {spec.name!r}"), spec, f"filter {spec.name!r}")
        if specs and not hasattr(self._state.control, "filter_config"):
            raise unimplemented(f"filter {specs[0].name!r}: this build of the data plane has no filters")
        for spec in specs:
            for place in range(spec.size) if index is None else (index,):
                yield _entity(spec, place, self._state.control.filter_config(spec.name, place))

    def _find(self, entry: p4r.ExternEntry) -> FilterSpec:
        spec = self._state.pipeline.filters.get(entry.extern_id)
        if spec is None or spec.type_id != entry.extern_type_id:
            raise not_found(
                f"no filter has extern_type_id {entry.extern_type_id} and extern_id {entry.extern_id}: other externs "
                "have entities of their own, or none"
            )
        return spec


def is_configured(entry: p4r.ExternEntry) -> bool:
    """Whether an entry that was read says more than its index."""
    return TYPE in _fields(entry, "a filter")


def _entity(spec: FilterSpec, index: int, config: FilterConfig | None) -> p4r.Entity:
    fields = Struct()
    fields.update({INDEX: index})
    if config is not None:
        kind, gain_ns, decay_ns, scale = config
        fields.update({TYPE: kind.upper(), GAIN: gain_ns, DECAY: decay_ns, SCALE: scale})
    entry = p4r.ExternEntry(extern_type_id=spec.type_id, extern_id=spec.id)
    entry.entry.Pack(fields, deterministic=True)
    return p4r.Entity(extern_entry=entry)


def _fields(entry: p4r.ExternEntry, what: str) -> dict[str, float | str]:
    """The values of an entry by name; none where it has no content. Raises INVALID_ARGUMENT."""
    content = Struct()
    # finsy sends an empty one where its user gives none.
    if not entry.entry.ByteSize():
        return {}
    try:
        if not entry.entry.Unpack(content):
            raise invalid(cut(f"{what}: the entry is a {entry.entry.type_url!r}, not a google.protobuf.Struct"))
    except DecodeError:
        raise invalid(f"{what}: the entry is not a google.protobuf.Struct") from None
    found: dict[str, float | str] = {}
    for name, value in content.fields.items():
        kind = value.WhichOneof("kind")
        wanted = "string_value" if name == TYPE else "number_value"
        if name not in _FIELDS:
            raise invalid(cut(f"{what}: there is no field {name!r}: known are {', '.join(_FIELDS)}"))
        if kind != wanted:
            raise invalid(f"{what}: {name} is not a {wanted.partition('_')[0]}")
        found[name] = getattr(value, wanted)
    return found


def _index(fields: dict[str, float | str], spec: FilterSpec, what: str) -> int | None:
    if INDEX not in fields:
        return None
    index = _whole(fields[INDEX], INDEX, what)
    if index >= spec.size:
        raise out_of_range(f"{what}: index {index}, the array has {spec.size}")
    return index


def _config(fields: dict[str, float | str], what: str) -> FilterConfig:
    missing = [name for name in _FIELDS if name not in fields]
    if missing:
        raise invalid(f"{what}: the entry has no {missing[0]}")
    scale = _whole(fields[SCALE], SCALE, what)
    if scale > MOST_SCALE:
        raise invalid(f"{what}: {SCALE} {scale} is not between 0 and {MOST_SCALE}")
    gain_ns, decay_ns = (_constant(fields[name], name, what) for name in (GAIN, DECAY))
    match fields[TYPE]:
        case "SAMPLE":
            return "sample", gain_ns, decay_ns, scale
        case "RATE":
            return "rate", gain_ns, decay_ns, scale
    raise invalid(cut(f"{what}: {TYPE} {fields[TYPE]!r} is neither SAMPLE nor RATE"))


def _whole(value: float | str, name: str, what: str) -> int:
    if not isinstance(value, float) or not value.is_integer() or value < 0:
        raise invalid(f"{what}: {name} is not a whole number")
    return int(value)


def _constant(value: float | str, name: str, what: str) -> float:
    if not isinstance(value, float) or not isfinite(value) or value < 0:
        raise invalid(f"{what}: {name} is not a time in nanoseconds")
    return value
