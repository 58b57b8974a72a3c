# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Entries of low-pass filters, by themselves: a data plane that takes them belongs to Tofino's architecture."""

from types import SimpleNamespace
from typing import Any

import pytest
from finsy.proto import p4r
from google.protobuf.any_pb2 import Any as AnyMessage
from p4runtime_lab import extern_entry, fields_of
from quench_switch.p4runtime.errors import Code, RequestError
from quench_switch.p4runtime.externs import Externs, is_configured
from quench_switch.p4runtime.pipeline import ExternSpec
from quench_switch.p4runtime.state import DELETE, INSERT, MODIFY
from quench_switch.p4runtime.tables import TableEntries

TYPE_ID, ID, SIZE = 137, 137 << 24 | 5, 3
NAME = "pipe.Egress.average"
WHOLE = {
    "index": 2,
    "type": "SAMPLE",
    "gain_time_constant_ns": 4e8,
    "decay_time_constant_ns": 2.5,
    "out_scale_down_factor": 0,
}


class Cells:
    """The filters of a data plane."""

    def __init__(self) -> None:
        self.cells: dict[tuple[str, int], Any] = {}

    def filter_config(self, name: str, index: int) -> Any:
        return self.cells.get((name, index))

    def set_filter_config(self, name: str, index: int, config: Any) -> None:
        self.cells[name, index] = config


def filters() -> tuple[Externs, Cells]:
    cells = Cells()
    pipeline = SimpleNamespace(actions_by_name={}, externs={ID: ExternSpec("Lpf", TYPE_ID, ID, NAME, SIZE)})
    state: Any = SimpleNamespace(pipeline=pipeline, changes=cells, control=cells)
    return Externs(state, TableEntries(state)), cells


def entry(fields: dict[str, Any] | None, extern_id: int = ID, type_id: int = TYPE_ID) -> p4r.ExternEntry:
    return extern_entry(type_id, extern_id, fields)


def values(entity: p4r.Entity | None) -> dict[str, Any]:
    assert entity is not None
    return fields_of(entity.extern_entry)


def test_what_is_written_is_read() -> None:
    handler, cells = filters()
    handler.write(MODIFY, entry(WHOLE))
    assert cells.cells == {(NAME, 2): ("sample", 4e8, 2.5, 0)}
    (found,) = handler.read(entry({"index": 2}))
    assert values(found) == WHOLE
    assert is_configured(found.extern_entry)


@pytest.mark.parametrize("pattern", [p4r.ExternEntry(), p4r.ExternEntry(extern_type_id=TYPE_ID), entry(None)])
def test_all_are_read_without_an_index(pattern: p4r.ExternEntry) -> None:
    handler, _ = filters()
    handler.write(MODIFY, entry({**WHOLE, "type": "RATE"}))
    found = [each for each in handler.read(pattern) if each is not None]
    assert [values(each) for each in found] == [{"index": 0}, {"index": 1}, {**WHOLE, "type": "RATE"}]
    assert [is_configured(each.extern_entry) for each in found] == [False, False, True]
    assert {(each.extern_entry.extern_type_id, each.extern_entry.extern_id) for each in found} == {(TYPE_ID, ID)}


def test_other_types_of_externs_have_no_entries() -> None:
    handler, _ = filters()
    assert list(handler.read(p4r.ExternEntry(extern_type_id=139))) == []


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"index": 3}, Code.OUT_OF_RANGE),
        ({"index": -1}, Code.INVALID_ARGUMENT),
        ({"index": 0.5}, Code.INVALID_ARGUMENT),
        ({"index": "2"}, Code.INVALID_ARGUMENT),
        ({"index": None}, Code.INVALID_ARGUMENT),
        ({"type": "sample"}, Code.INVALID_ARGUMENT),
        ({"type": 1}, Code.INVALID_ARGUMENT),
        ({"gain_time_constant_ns": -1}, Code.INVALID_ARGUMENT),
        ({"gain_time_constant_ns": float("inf")}, Code.INVALID_ARGUMENT),
        ({"decay_time_constant_ns": float("nan")}, Code.INVALID_ARGUMENT),
        ({"out_scale_down_factor": 32}, Code.INVALID_ARGUMENT),
        ({"out_scale_down_factor": {}}, Code.INVALID_ARGUMENT),
        ({"time_constant_ns": 1}, Code.INVALID_ARGUMENT),
    ],
)
def test_values_that_no_filter_takes_are_refused(changes: dict[str, Any], code: Code) -> None:
    handler, cells = filters()
    with pytest.raises(RequestError) as raised:
        handler.write(MODIFY, entry({**WHOLE, **changes}))
    assert raised.value.code == code
    assert cells.cells == {}


@pytest.mark.parametrize("missing", WHOLE)
def test_all_fields_are_needed(missing: str) -> None:
    handler, cells = filters()
    with pytest.raises(RequestError, match=missing):
        handler.write(MODIFY, entry({name: value for name, value in WHOLE.items() if name != missing}))
    assert cells.cells == {}


@pytest.mark.parametrize("kind", [INSERT, DELETE])
def test_filters_are_only_modified(kind: int) -> None:
    handler, _ = filters()
    with pytest.raises(RequestError, match="can only be modified"):
        handler.write(kind, entry(WHOLE))


@pytest.mark.parametrize(("extern_id", "type_id"), [(7, TYPE_ID), (ID, 139), (0, TYPE_ID)])
def test_an_extern_that_is_no_filter_is_not_found(extern_id: int, type_id: int) -> None:
    handler, _ = filters()
    with pytest.raises(RequestError) as raised:
        handler.write(MODIFY, entry(WHOLE, extern_id, type_id))
    assert raised.value.code == Code.NOT_FOUND


@pytest.mark.parametrize(
    "content",
    [
        AnyMessage(type_url="type.googleapis.com/google.protobuf.Struct", value=b"\xff"),
        AnyMessage(type_url="type.googleapis.com/p4.v1.Index"),
        AnyMessage(),
    ],
)
def test_a_content_that_is_no_struct_is_refused(content: AnyMessage) -> None:
    handler, _ = filters()
    with pytest.raises(RequestError) as raised:
        handler.write(MODIFY, p4r.ExternEntry(extern_type_id=TYPE_ID, extern_id=ID, entry=content))
    assert raised.value.code == Code.INVALID_ARGUMENT
