# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0

import pytest
from finsy import GRPCStatusCode as Code
from finsy.proto import p4d, p4r
from quench_switch.p4runtime.rates import encode_counter

Update = p4r.Update

COUNTS = p4r.CounterData(packet_count=3, byte_count=200)
RATES = p4r.MeterConfig(cir=1000, cburst=10, pir=2000, pburst=20)
VALUE = p4d.P4Data(bitstring=b"\x0f\xff\xff")


@pytest.fixture(params=["counter", "meter", "register"])
def array(request, names):
    """(kind of entity, maker of entries, a value, the value at the start)."""
    kind = request.param
    if kind == "counter":
        name, message, field, value, start = "port_counter", p4r.CounterEntry, "data", COUNTS, p4r.CounterData()
    elif kind == "meter":
        name, message, field, value, start = "port_meter", p4r.MeterEntry, "config", RATES, None
    else:
        name, message, field = "averages", p4r.RegisterEntry, "data"
        value, start = VALUE, p4d.P4Data(bitstring=b"\0")

    array = names.id(name)

    def make(index=None, content=None, array_id=array):
        entry = message(**{f"{kind}_id": array_id})
        if index is not None:
            entry.index.index = index
        if content is not None:
            getattr(entry, field).CopyFrom(content)
        return entry

    size = {"counter": 8, "meter": 4, "register": 8}[kind]
    return kind, make, value, start, size


def test_one_cell_is_written_and_read(primary, array):
    kind, make, value, start, _ = array
    primary.modify(**{f"{kind}_entry": make(2, value)})
    assert primary.read(**{f"{kind}_entry": make(2)}) == [make(2, value)]
    assert primary.read(**{f"{kind}_entry": make(1)}) == [make(1, start)]


def test_without_an_index_all_cells_are_meant(primary, array):
    kind, make, value, _, size = array
    primary.modify(**{f"{kind}_entry": make(None, value)})
    everything = [make(index, value) for index in range(size)]
    assert primary.read(**{f"{kind}_entry": make()}) == everything
    assert primary.read(**{f"{kind}_entry": make(array_id=0)}) == everything


def test_indices_are_checked(primary, array):
    kind, make, value, _, size = array
    for entry, code in [
        (make(size, value), Code.OUT_OF_RANGE),
        (make(2**40, value), Code.OUT_OF_RANGE),
        (make(-1, value), Code.INVALID_ARGUMENT),
        (make(0, value, array_id=99), Code.NOT_FOUND),
    ]:
        update = p4r.Update(type=Update.MODIFY, entity=p4r.Entity(**{f"{kind}_entry": entry}))
        assert primary.refusal(update) == code
        assert primary.code(lambda entry=entry: primary.read(**{f"{kind}_entry": entry})) == code
    nameless = make(0, array_id=0)
    assert primary.code(lambda: primary.read(**{f"{kind}_entry": nameless})) == Code.INVALID_ARGUMENT


def test_cells_are_neither_inserted_nor_deleted(primary, array):
    kind, make, value, _, _ = array
    for update_type in (Update.INSERT, Update.DELETE):
        entity = p4r.Entity(**{f"{kind}_entry": make(0, value)})
        assert primary.refusal(p4r.Update(type=update_type, entity=entity)) == Code.INVALID_ARGUMENT


def test_bad_contents_are_refused(primary, names):
    counter = p4r.CounterEntry(counter_id=names.id("port_counter"), index=p4r.Index(index=0))
    counter.data.packet_count = -1
    crossed = p4r.MeterEntry(meter_id=names.id("port_meter"), index=p4r.Index(index=0))
    crossed.config.cir = 2
    excess = p4r.MeterEntry(meter_id=names.id("port_meter"), index=p4r.Index(index=0))
    excess.config.eburst = 2
    coloured = p4r.MeterEntry(meter_id=names.id("port_meter"), index=p4r.Index(index=0))
    coloured.counter_data.yellow.byte_count = 1
    wide = p4r.RegisterEntry(register_id=names.id("averages"), index=p4r.Index(index=0))
    wide.data.bitstring = b"\x1f\xff\xff"
    empty = p4r.RegisterEntry(register_id=names.id("averages"), index=p4r.Index(index=0))
    other = p4r.RegisterEntry(register_id=names.id("averages"), index=p4r.Index(index=0))
    other.data.bool = True
    for entity, code in [
        ({"counter_entry": counter}, Code.INVALID_ARGUMENT),
        ({"meter_entry": crossed}, Code.INVALID_ARGUMENT),
        ({"meter_entry": excess}, Code.INVALID_ARGUMENT),
        ({"meter_entry": coloured}, Code.INVALID_ARGUMENT),
        ({"register_entry": wide}, Code.OUT_OF_RANGE),
        ({"register_entry": empty}, Code.INVALID_ARGUMENT),
        ({"register_entry": other}, Code.INVALID_ARGUMENT),
    ]:
        update = p4r.Update(type=Update.MODIFY, entity=p4r.Entity(**entity))
        assert primary.refusal(update) == code, entity


def test_a_counter_without_data_is_left_alone(primary, names):
    entry = p4r.CounterEntry(counter_id=names.id("port_counter"), index=p4r.Index(index=1), data=COUNTS)
    primary.modify(counter_entry=entry)
    bare = p4r.CounterEntry(counter_id=entry.counter_id, index=entry.index)
    primary.modify(counter_entry=bare)
    assert primary.read(counter_entry=bare) == [entry]


def test_value_sets_are_replaced_as_a_whole(primary, names, match):
    def value_set(*values):
        members = [p4r.ValueSetMember(match=[match.exact(value)]) for value in values]
        return p4r.ValueSetEntry(value_set_id=names.id("ip_types"), members=members)

    primary.modify(value_set_entry=value_set(b"\x12\x34", b"\x56\x78"))
    assert primary.read(value_set_entry=p4r.ValueSetEntry()) == [value_set(b"\x12\x34", b"\x56\x78")]
    for kind, entry, code in [
        (Update.INSERT, value_set(b"\1"), Code.INVALID_ARGUMENT),
        (Update.MODIFY, value_set(b"\1", b"\2", b"\3", b"\4", b"\5"), Code.RESOURCE_EXHAUSTED),
        (Update.MODIFY, value_set(b"\1", b"\0\1"), Code.ALREADY_EXISTS),
        (Update.MODIFY, value_set(b"\1\0\0"), Code.OUT_OF_RANGE),
        (Update.MODIFY, p4r.ValueSetEntry(value_set_id=9), Code.NOT_FOUND),
    ]:
        update = p4r.Update(type=kind, entity=p4r.Entity(value_set_entry=entry))
        assert primary.refusal(update) == code
    primary.modify(value_set_entry=value_set())
    assert primary.read(value_set_entry=p4r.ValueSetEntry()) == [value_set()]


def test_a_value_set_of_any_size_is_answered_soon(primary, config, names, match):
    large = p4r.ForwardingPipelineConfig()
    large.CopyFrom(config)
    large.p4info.value_sets[0].size = 40_000
    primary.set_config(large)
    entry = p4r.ValueSetEntry(value_set_id=names.id("ip_types"))
    entry.members.extend(p4r.ValueSetMember(match=[match.exact(place.to_bytes(2, "big"))]) for place in range(40_000))
    entry.members.append(entry.members[-1])
    del entry.members[0]
    update = p4r.Update(type=Update.MODIFY, entity=p4r.Entity(value_set_entry=entry))
    # In quadratic time it takes many times the 5 s that the client waits.
    assert primary.refusal(update) == Code.ALREADY_EXISTS


def test_counts_begin_anew_at_what_an_answer_holds():
    """``int64``; the data plane counts on."""
    assert encode_counter((2**63 + 1, 2**64 - 1)) == p4r.CounterData(packet_count=1, byte_count=2**63 - 1)
