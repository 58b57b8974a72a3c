# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Rules of counters, meters and registers."""

from __future__ import annotations

from collections.abc import Collection
from typing import TypeVar

from finsy import GRPCStatusCode as Code
from finsy.proto import p4d, p4r

from .program import Scalar
from .rates import judge_colors, judge_counter, judge_rates
from .state import Rates, State
from .tables import MODIFY, Effect, nothing
from .values import signed, unsigned
from .verdict import Verdict

Value = TypeVar("Value")


def judge_index(index: int, size: int, verdict: Verdict) -> None:
    """A cell of an array."""
    if index < 0:
        verdict.invalid(f"index {index}")
    elif index >= size:
        verdict.refuse(Code.OUT_OF_RANGE, f"index {index} of {size}")


def _judge_array(kind: int, number: int, known: Collection[int], verdict: Verdict) -> bool:
    if kind != MODIFY:
        verdict.invalid("arrays can only be modified")
    if number not in known:
        verdict.refuse(Code.NOT_FOUND, f"array {number}")
        return False
    return True


def _set(cells: list[Value], index: p4r.Index | None, value: Value, verdict: Verdict) -> Effect:
    if index is not None:
        judge_index(index.index, len(cells), verdict)
        return lambda: cells.__setitem__(index.index, value)
    return lambda: cells.__setitem__(slice(None), [value] * len(cells))


def judge_counter_entry(state: State, kind: int, given: p4r.CounterEntry, verdict: Verdict) -> Effect:
    """One update of a ``CounterEntry``."""
    if not _judge_array(kind, given.counter_id, state.counters, verdict):
        return nothing
    value = judge_counter(given.data, verdict)
    effect = _set(state.counters[given.counter_id], given.index if given.HasField("index") else None, value, verdict)
    return effect if given.HasField("data") else nothing


def judge_meter_entry(state: State, kind: int, given: p4r.MeterEntry, verdict: Verdict) -> Effect:
    """One update of a ``MeterEntry``."""
    if not _judge_array(kind, given.meter_id, state.meters, verdict):
        return nothing
    judge_colors(given.counter_data, verdict)
    value: Rates | None = None
    if given.HasField("config"):
        value = judge_rates(given.config, state.program.meters[given.meter_id].spec, verdict)
    return _set(state.meters[given.meter_id], given.index if given.HasField("index") else None, value, verdict)


def judge_register_entry(state: State, kind: int, given: p4r.RegisterEntry, verdict: Verdict) -> Effect:
    """One update of a ``RegisterEntry``."""
    if not _judge_array(kind, given.register_id, state.registers, verdict):
        return nothing
    value: int | bool | None = None
    if given.HasField("data"):
        value = judge_data(state.program.registers[given.register_id][1], given.data, verdict)
    else:
        verdict.invalid("no data is given")
    index = given.index if given.HasField("index") else None
    return _set(state.registers[given.register_id], index, value or 0, verdict)


def judge_data(scalar: Scalar, data: p4d.P4Data, verdict: Verdict) -> int | bool | None:
    """The value of a cell."""
    if scalar.kind is None:
        verdict.refuse(Code.UNIMPLEMENTED, "cells of this type")
        return None
    wanted = {"bool": "bool", "enum": "enum_value"}.get(scalar.kind, "bitstring")
    if data.WhichOneof("data") != wanted:
        verdict.invalid(f"a cell is given by {wanted}")
        return None
    if scalar.kind == "bool":
        return data.bool
    raw = data.enum_value if scalar.kind == "enum" else data.bitstring
    parse = signed if scalar.kind == "int" else unsigned
    return parse(raw, scalar.bits, "cell", verdict)
