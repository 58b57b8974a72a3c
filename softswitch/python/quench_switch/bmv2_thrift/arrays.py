# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Counters, meters, registers and value sets."""

from __future__ import annotations

from typing import Any, Final

from bm_runtime.standard import ttypes as t

from quench_switch.p4runtime.limits import PAGE

from .errors import unsupported
from .rates import from_rates, to_rates
from .running import Running

MAX_CELLS: Final = 1 << 20
"""The largest number of cells of a register that is read whole: all of them are in memory then."""
_SIGN: Final = 1 << 63
_WORD: Final = 1 << 64


class Arrays:
    """The methods ``bm_counter_*``, ``bm_meter_*``, ``bm_register_*`` and ``bm_parse_vset_*``."""

    def __init__(self, running: Running) -> None:
        self._running = running
        self._switch = running.switch

    # -- Counters -----------------------------------------------------------------------------------------

    def _counter(self, name: str) -> None:
        counter = self._running.counters.get(name)
        if counter is None or counter["direct_table"] is not None:
            raise t.InvalidCounterOperation(t.CounterOperationErrorCode.INVALID_COUNTER_NAME)

    def bm_counter_read(self, _context: int, name: str, index: int) -> t.BmCounterValue:
        """One cell."""
        self._counter(name)
        packets, size = self._switch.counter_read(name, _index(index, t.InvalidCounterOperation))
        return t.BmCounterValue(packets=packets, bytes=size)

    def bm_counter_write(self, _context: int, name: str, index: int, value: t.BmCounterValue) -> None:
        """Set one cell."""
        self._counter(name)
        if value.packets is None or value.bytes is None:
            raise t.InvalidCounterOperation(t.CounterOperationErrorCode.ERROR)
        self._switch.counter_write(name, _index(index, t.InvalidCounterOperation), value.packets, value.bytes)

    def bm_counter_reset_all(self, _context: int, name: str) -> None:
        """Set all cells to 0."""
        self._counter(name)
        for first, count in self._running.cells(0, self._running.counters[name]["size"]):
            self._switch.counter_fill(name, first, count, 0, 0)

    # -- Meters -------------------------------------------------------------------------------------------

    def _meter(self, name: str) -> dict[str, Any]:
        meter = self._running.meters.get(name)
        if meter is None or meter["direct_table"] is not None:
            raise t.InvalidMeterOperation(t.MeterOperationErrorCode.INVALID_METER_NAME)
        return meter

    def bm_meter_array_set_rates(self, _context: int, name: str, rates: list[t.BmMeterRateConfig]) -> None:
        """Configure all meters."""
        meter = self._meter(name)
        for first, count in self._running.cells(0, meter["size"]):
            self._switch.meter_fill(name, first, count, to_rates(rates))

    def bm_meter_set_rates(self, _context: int, name: str, index: int, rates: list[t.BmMeterRateConfig]) -> None:
        """Configure one meter."""
        self._meter(name)
        self._switch.meter_write(name, _index(index, t.InvalidMeterOperation), to_rates(rates))

    def bm_meter_get_rates(self, _context: int, name: str, index: int) -> list[t.BmMeterRateConfig]:
        """The configuration of one meter; nothing where it has none."""
        self._meter(name)
        return from_rates(self._switch.meter_read(name, _index(index, t.InvalidMeterOperation)))

    # -- Registers ----------------------------------------------------------------------------------------

    def _register(self, name: str) -> dict[str, Any]:
        register = self._running.registers.get(name)
        if register is None:
            raise t.InvalidRegisterOperation(t.RegisterOperationErrorCode.INVALID_REGISTER_NAME)
        return register

    def bm_register_read(self, _context: int, name: str, index: int) -> int:
        """One cell: its low 64 bits, which is what the interface has."""
        self._register(name)
        return _signed(self._switch.register_read(name, _index(index, t.InvalidRegisterOperation)))

    def bm_register_read_all(self, _context: int, name: str) -> list[int]:
        """All cells."""
        size = self._register(name)["size"]
        if size > MAX_CELLS:
            raise unsupported(f"{name} has more than {MAX_CELLS} cells: read them one by one, or by P4Runtime")
        found: list[int] = []
        for first, count in self._running.cells(0, size, PAGE):
            found += map(_signed, self._switch.register_read_range(name, first, count))
        return found

    def bm_register_write(self, _context: int, name: str, index: int, value: int) -> None:
        """Set one cell."""
        register = self._register(name)
        self._switch.register_write(name, _index(index, t.InvalidRegisterOperation), _cell(register, value))

    def bm_register_write_range(self, _context: int, name: str, start: int, end: int, value: int) -> None:
        """Set the cells from ``start`` to before ``end``."""
        register = self._register(name)
        if not 0 <= start < end <= register["size"]:
            raise t.InvalidRegisterOperation(t.RegisterOperationErrorCode.INVALID_INDEX)
        for first, count in self._running.cells(start, end):
            self._switch.register_fill(name, first, count, _cell(register, value))

    def bm_register_reset(self, _context: int, name: str) -> None:
        """Set all cells to 0."""
        register = self._register(name)
        for first, count in self._running.cells(0, register["size"]):
            self._switch.register_fill(name, first, count, b"\0")

    # -- Value sets ---------------------------------------------------------------------------------------

    def _value_set(self, name: str) -> list[int]:
        value_set = self._running.value_sets.get(name)
        if value_set is None:
            raise t.InvalidParseVSetOperation(t.ParseVSetOperationErrorCode.INVALID_PARSE_VSET_NAME)
        bits: list[int] = value_set["key_bits"]
        return bits

    def bm_parse_vset_add(self, _context: int, name: str, value: bytes) -> None:
        """Add a member."""
        key = _split(self._value_set(name), value)
        members = self._switch.value_set_read(name)
        if key not in members:
            self._switch.value_set_write(name, [*members, key])

    def bm_parse_vset_remove(self, _context: int, name: str, value: bytes) -> None:
        """Remove a member."""
        key = _split(self._value_set(name), value)
        self._switch.value_set_write(name, [member for member in self._switch.value_set_read(name) if member != key])

    def bm_parse_vset_get(self, _context: int, name: str) -> list[bytes]:
        """All members that match exactly; the interface has no others."""
        bits = self._value_set(name)
        return [_joined(bits, member) for member in self._switch.value_set_read(name)]

    def bm_parse_vset_clear(self, _context: int, name: str) -> None:
        """Remove all members."""
        self._value_set(name)
        self._switch.value_set_write(name, [])


def _index(index: int, kind: Any) -> int:
    if index < 0:
        # 2 is INVALID_INDEX in each of these interfaces.
        raise kind(t.CounterOperationErrorCode.INVALID_INDEX)
    return index


def _signed(value: bytes) -> int:
    number = int.from_bytes(value, "big") % _WORD
    return number - _WORD if number >= _SIGN else number


def _cell(register: dict[str, Any], value: int) -> bytes:
    bits: int = register["bits"]
    return (value % (1 << bits)).to_bytes((bits + 7) // 8, "big")


def _split(bits: list[int], value: bytes) -> list[Any]:
    """A member from its fields one behind the other, without padding."""
    number = int.from_bytes(value, "big")
    if number >> sum(bits):
        raise t.InvalidParseVSetOperation(t.ParseVSetOperationErrorCode.ERROR)
    key: list[Any] = []
    for width in reversed(bits):
        key.append(("exact", (number % (1 << width)).to_bytes((width + 7) // 8, "big")))
        number >>= width
    return key[::-1]


def _joined(bits: list[int], member: list[Any]) -> bytes:
    number = 0
    for width, match in zip(bits, member, strict=True):
        number = number << width | (int.from_bytes(match[1], "big") if match is not None else 0)
    return number.to_bytes((sum(bits) + 7) // 8, "big")
