# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Indexed externs: ``CounterEntry``, ``MeterEntry`` and ``RegisterEntry``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from quench_switch.messages import p4i, p4r

from .cells import StructCell, cell
from .errors import invalid, not_found
from .limits import PAGE
from .p4data import Scalar
from .rates import check_cleared, decode_counter, decode_rates, encode_colors, encode_counter, encode_rates
from .state import State, array_indices, only_modify, spend_cells

if TYPE_CHECKING:
    from quench_switch._native import Colors, MeterRates

Cell = TypeVar("Cell")


def _index(entry: p4r.CounterEntry | p4r.MeterEntry | p4r.RegisterEntry) -> p4r.Index | None:
    return entry.index if entry.HasField("index") else None


def _find(arrays: Any, array_id: int, what: str) -> Any:
    array = arrays.get(array_id)
    if array is None:
        raise not_found(f"no {what} has id {array_id}")
    return array


def _selected(arrays: Any, array_id: int, has_index: bool, what: str) -> list[Any]:
    if array_id == 0:
        if has_index:
            raise invalid(f"an index needs the id of a {what}")
        return list(arrays.values())
    return [_find(arrays, array_id, what)]


def _cells(
    arrays: Any, array_id: int, index: p4r.Index | None, what: str, read: Callable[[str, int, int], Sequence[Cell]]
) -> Iterator[tuple[Any, p4r.Index, Cell]]:
    """Array, index and value of each cell that a request selects, never more than a page in memory."""
    for array in _selected(arrays, array_id, index is not None, what):
        name = array.preamble.name
        indices = array_indices(index, array.size, f"{what} {name!r}")
        for start in range(indices.start, indices.stop, PAGE):
            places = range(start, min(start + PAGE, indices.stop))
            for place, value in zip(places, read(name, start, len(places)), strict=True):
                yield array, p4r.Index(index=place), value


class Counters:
    """Writes and reads of ``CounterEntry``."""

    def __init__(self, state: State) -> None:
        self._state = state

    def write(self, kind: int, entry: p4r.CounterEntry) -> None:
        """Set one counter, or all of an array."""
        counter: p4i.Counter = _find(self._state.pipeline.counters, entry.counter_id, "counter")
        name = counter.preamble.name
        what = f"counter {name!r}"
        only_modify(kind, what)
        indices = array_indices(_index(entry), counter.size, what)
        if entry.HasField("data"):
            packets, octets = decode_counter(entry.data, what)
            spend_cells(self._state, len(indices), what)
            self._state.changes.counter_fill(name, indices.start, len(indices), packets, octets)

    def read(self, entry: p4r.CounterEntry) -> Iterator[p4r.Entity]:
        """Counters that the request selects."""
        counters, read = self._state.pipeline.counters, self._state.control.counter_read_range
        for counter, index, value in _cells(counters, entry.counter_id, _index(entry), "counter", read):
            message = p4r.CounterEntry(counter_id=counter.preamble.id, index=index, data=encode_counter(value))
            yield p4r.Entity(counter_entry=message)


class Meters:
    """Writes and reads of ``MeterEntry``."""

    def __init__(self, state: State) -> None:
        self._state = state

    def write(self, kind: int, entry: p4r.MeterEntry) -> None:
        """Configure one meter, or all of an array; without a config they pass everything as green."""
        meter: p4i.Meter = _find(self._state.pipeline.meters, entry.meter_id, "meter")
        name = meter.preamble.name
        what = f"meter {name!r}"
        only_modify(kind, what)
        if entry.HasField("counter_data"):
            check_cleared(entry.counter_data, what)
        indices = array_indices(_index(entry), meter.size, what)
        rates = decode_rates(entry.config, meter.spec, what) if entry.HasField("config") else None
        spend_cells(self._state, len(indices), what)
        self._state.changes.meter_fill(name, indices.start, len(indices), rates)
        if entry.HasField("counter_data"):
            self._state.changes.meter_colors_clear(name, indices.start, len(indices))

    def _read_range(self, name: str, first: int, count: int) -> list[tuple[MeterRates | None, Colors]]:
        control = self._state.control
        rates = control.meter_read_range(name, first, count)
        return list(zip(rates, control.meter_colors_range(name, first, count), strict=True))

    def read(self, entry: p4r.MeterEntry) -> Iterator[p4r.Entity]:
        """Configurations that the request selects."""
        for meter, index, (rates, colors) in _cells(
            self._state.pipeline.meters, entry.meter_id, _index(entry), "meter", self._read_range
        ):
            message = p4r.MeterEntry(meter_id=meter.preamble.id, index=index)
            if rates is not None:
                message.config.CopyFrom(encode_rates(rates))
            if entry.HasField("counter_data"):
                message.counter_data.CopyFrom(encode_colors(colors))
            yield p4r.Entity(meter_entry=message)


class Registers:
    """Writes and reads of ``RegisterEntry``."""

    def __init__(self, state: State) -> None:
        self._state = state

    def _cell(self, register: p4i.Register) -> Scalar | StructCell:
        return cell(register.type_spec, self._state.pipeline.types, f"register {register.preamble.name!r}")

    def write(self, kind: int, entry: p4r.RegisterEntry) -> None:
        """Set one cell, or all of an array."""
        register: p4i.Register = _find(self._state.pipeline.registers, entry.register_id, "register")
        name = register.preamble.name
        what = f"register {name!r}"
        only_modify(kind, what)
        indices = array_indices(_index(entry), register.size, what)
        if not entry.HasField("data"):
            raise invalid(f"{what}: the request has no data")
        value = self._cell(register).decode(entry.data)
        spend_cells(self._state, len(indices), what)
        self._state.changes.register_fill(name, indices.start, len(indices), value)

    def read(self, entry: p4r.RegisterEntry) -> Iterator[p4r.Entity]:
        """Cells that the request selects."""
        registers, read = self._state.pipeline.registers, self._state.control.register_read_range
        cells: dict[int, Scalar | StructCell] = {}
        for register, index, value in _cells(registers, entry.register_id, _index(entry), "register", read):
            register_id = register.preamble.id
            if register_id not in cells:
                cells[register_id] = self._cell(register)
            message = p4r.RegisterEntry(register_id=register_id, index=index, data=cells[register_id].encode(value))
            yield p4r.Entity(register_entry=message)
