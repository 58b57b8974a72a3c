# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0

import pytest
from finsy import GRPCStatusCode as Code
from finsy.proto import p4r
from p4runtime_lab import read_table, table_update

Update = p4r.Update


@pytest.fixture
def route(names, match):
    """Maker of LPM entries."""

    def make(prefix=b"\x0a\0\0\0", length=8, port=b"\2", **fields):
        return names.entry("lpm_table", match.lpm(prefix, length), action=names.action("forward", port), **fields)

    return make


@pytest.fixture
def rule(names, match):
    """Maker of entries of the table with a priority; field 4 is exact, the others may be left out."""

    def make(*matches, priority=10, action="drop", **fields):
        every = (*matches, match.exact(b"\1", 4))
        return names.entry("ternary_table", *every, action=names.action(action), priority=priority, **fields)

    return make


def test_an_entry_reads_as_it_was_written(primary, names, route):
    entry = route(metadata=b"opaque", controller_metadata=7)
    primary.insert(table_entry=entry)
    assert read_table(primary, names, "lpm_table") == [entry]


def test_values_are_read_in_canonical_form(primary, names, match):
    padded = names.entry("exact_table", match.exact(b"\0\0\0\0\0\0\0\x05"), action=names.action("forward", b"\0\0\3"))
    primary.insert(table_entry=padded)
    (read,) = read_table(primary, names, "exact_table")
    assert read.match[0].exact.value == b"\5"
    assert read.action.action.params[0].value == b"\3"
    zero = names.entry("exact_table", match.exact(b"\0"), action=names.action("forward", b"\0"))
    primary.insert(table_entry=zero)
    assert zero in read_table(primary, names, "exact_table")


def test_every_match_kind_reads_as_it_was_written(primary, names, match, rule):
    entry = rule(
        match.ternary(b"\x0a\0\0\1", b"\xff\0\0\xff", 1), match.optional(b"\6", 2), match.range(b"\1", b"\x40", 3)
    )
    primary.insert(table_entry=entry)
    (read,) = read_table(primary, names, "ternary_table")
    assert sorted(read.match, key=lambda field: field.field_id) == list(entry.match)
    assert read.priority == 10


def test_left_out_fields_match_anything_and_stay_left_out(primary, names, match, rule):
    primary.insert(table_entry=rule())
    (read,) = read_table(primary, names, "ternary_table")
    assert [field.field_id for field in read.match] == [4]


def test_an_entry_is_known_by_match_and_priority(primary, names, match, rule):
    primary.insert(table_entry=rule(priority=1))
    primary.insert(table_entry=rule(priority=2, action="NoAction"))
    assert primary.refusal(table_update(Update.INSERT, rule(priority=1))) == Code.ALREADY_EXISTS
    primary.delete(table_entry=rule(priority=1))
    (left,) = read_table(primary, names, "ternary_table")
    assert left.priority == 2
    assert primary.refusal(table_update(Update.DELETE, rule(priority=1))) == Code.NOT_FOUND


def test_modify_replaces_the_action_and_keeps_it_where_none_is_given(primary, names, route):
    primary.insert(table_entry=route(port=b"\2"))
    primary.modify(table_entry=route(port=b"\3"))
    (read,) = read_table(primary, names, "lpm_table")
    assert read.action.action.params[0].value == b"\3"
    bare = route(port=b"\3")
    bare.ClearField("action")
    primary.modify(table_entry=bare)
    assert read_table(primary, names, "lpm_table") == [route(port=b"\3")]
    missing = route(prefix=b"\x0b\0\0\0")
    assert primary.refusal(table_update(Update.MODIFY, missing)) == Code.NOT_FOUND


def test_delete_looks_at_the_key_and_is_const_only(primary, names, route):
    primary.insert(table_entry=route())
    nonsense = route()
    nonsense.action.action.action_id = 99
    nonsense.idle_timeout_ns = -3
    nonsense.is_const = True
    assert primary.refusal(table_update(Update.DELETE, nonsense)) == Code.INVALID_ARGUMENT
    nonsense.is_const = False
    primary.delete(table_entry=nonsense)
    assert read_table(primary, names, "lpm_table") == []


def test_a_full_table_is_exhausted(primary, names, match):
    for number in range(8):
        entry = names.entry("idle_table", match.exact(bytes([number])), action=names.action("NoAction"))
        primary.insert(table_entry=entry)
    ninth = names.entry("idle_table", match.exact(b"\x99"), action=names.action("NoAction"))
    assert primary.refusal(table_update(Update.INSERT, ninth)) == Code.RESOURCE_EXHAUSTED


def _bad_entries(names, match, route, rule):
    """(what is wrong, entry, code)."""
    action = names.action("forward", b"\2")
    other_kind = names.entry("lpm_table", match.exact(b"\1"), action=action)
    twice = names.entry("lpm_table", match.lpm(b"\1", 32), match.lpm(b"\2", 32), action=action)
    unset = names.entry("lpm_table", p4r.FieldMatch(field_id=1), action=action)
    const = route()
    const.is_const = True
    member = route()
    member.action.action_profile_member_id = 1
    one_too_many = names.action("forward", b"\1", b"\2")
    double = p4r.Action(action_id=names.id("forward"))
    double.params.add(param_id=1, value=b"\1")
    double.params.add(param_id=1, value=b"\1")
    timed = route()
    timed.idle_timeout_ns = 5
    counted = route()
    counted.counter_data.packet_count = 1
    metered = route()
    metered.meter_config.cir = 1
    coloured = route()
    coloured.meter_counter_data.SetInParent()
    recounted = names.entry("exact_table", match.exact(b"\1"), action=names.action("forward_metered", b"\2"))
    recounted.meter_counter_data.red.packet_count = 1
    negative = names.entry("exact_table", match.exact(b"\1"), action=names.action("forward", b"\2"))
    negative.counter_data.byte_count = -1
    keyless = names.entry("keyless_table", action=names.action("NoAction"))
    return [
        ("unknown table", p4r.TableEntry(table_id=99), Code.NOT_FOUND),
        ("unknown field", names.entry("lpm_table", match.lpm(b"\1", 32, 9), action=action), Code.INVALID_ARGUMENT),
        ("other match kind", other_kind, Code.INVALID_ARGUMENT),
        ("field given twice", twice, Code.INVALID_ARGUMENT),
        ("field without a match", unset, Code.INVALID_ARGUMENT),
        ("missing exact field", names.entry("exact_table", action=action), Code.INVALID_ARGUMENT),
        ("value too wide", names.entry("exact_table", match.exact(b"\1" + bytes(6)), action=action), Code.OUT_OF_RANGE),
        ("empty value", names.entry("exact_table", match.exact(b""), action=action), Code.OUT_OF_RANGE),
        ("prefix of 0 bits", route(length=0), Code.INVALID_ARGUMENT),
        ("prefix too long", route(length=33), Code.INVALID_ARGUMENT),
        ("negative prefix", route(length=-1), Code.INVALID_ARGUMENT),
        ("bits after the prefix", route(prefix=b"\x0a\0\0\1"), Code.INVALID_ARGUMENT),
        ("empty mask", rule(match.ternary(b"\0", b"\0", 1)), Code.INVALID_ARGUMENT),
        ("bits outside the mask", rule(match.ternary(b"\3", b"\1", 1)), Code.INVALID_ARGUMENT),
        ("empty range", rule(match.range(b"\3", b"\1", 3)), Code.INVALID_ARGUMENT),
        ("full range", rule(match.range(b"\0", b"\xff", 3)), Code.INVALID_ARGUMENT),
        ("no priority", rule(priority=0), Code.INVALID_ARGUMENT),
        ("negative priority", rule(priority=-1), Code.INVALID_ARGUMENT),
        ("priority without need", route(priority=1), Code.INVALID_ARGUMENT),
        ("no action", names.entry("lpm_table", match.lpm(b"\1", 32)), Code.INVALID_ARGUMENT),
        ("action of another table", rule(action="multicast"), Code.INVALID_ARGUMENT),
        (
            "unknown action",
            names.entry("lpm_table", match.lpm(b"\1", 32), action=p4r.Action(action_id=9)),
            Code.INVALID_ARGUMENT,
        ),
        (
            "parameter missing",
            names.entry("lpm_table", match.lpm(b"\1", 32), action=names.action("forward")),
            Code.INVALID_ARGUMENT,
        ),
        (
            "parameter unknown",
            names.entry("lpm_table", match.lpm(b"\1", 32), action=one_too_many),
            Code.INVALID_ARGUMENT,
        ),
        ("parameter twice", names.entry("lpm_table", match.lpm(b"\1", 32), action=double), Code.INVALID_ARGUMENT),
        ("parameter too wide", route(port=b"\2\0"), Code.OUT_OF_RANGE),
        ("parameter empty", route(port=b""), Code.OUT_OF_RANGE),
        (
            "default-only action",
            names.entry("exact_table", match.exact(b"\1"), action=names.action("drop")),
            Code.PERMISSION_DENIED,
        ),
        ("member in a direct table", member, Code.INVALID_ARGUMENT),
        ("is_const from a client", const, Code.INVALID_ARGUMENT),
        ("timeout unsupported", timed, Code.INVALID_ARGUMENT),
        ("no direct counter", counted, Code.INVALID_ARGUMENT),
        ("no direct meter", metered, Code.INVALID_ARGUMENT),
        ("no meter that could count colors", coloured, Code.INVALID_ARGUMENT),
        ("counts of colors", recounted, Code.INVALID_ARGUMENT),
        ("negative count", negative, Code.INVALID_ARGUMENT),
        ("keyless table", keyless, Code.INVALID_ARGUMENT),
        (
            "constant table",
            names.entry("const_table", match.exact(b"\1"), action=names.action("drop")),
            Code.PERMISSION_DENIED,
        ),
    ]


def test_bad_entries_are_refused_one_by_one_and_good_ones_between_them_are_not(primary, names, match, route, rule):
    bad = _bad_entries(names, match, route, rule)
    good = [route(prefix=bytes([1 + place, 0, 0, 0])) for place in range(len(bad))]
    batch = [
        table_update(Update.INSERT, entry)
        for pair in zip(good, (entry for _, entry, _ in bad), strict=True)
        for entry in pair
    ]
    codes = primary.try_write(*batch)
    assert codes[::2] == [Code.OK] * len(good)
    assert dict(zip((what for what, _, _ in bad), codes[1::2], strict=True)) == {what: code for what, _, code in bad}
    assert len(read_table(primary, names, "lpm_table")) == len(good)


def test_the_update_needs_a_type_and_an_entity(primary, route):
    assert primary.refusal(table_update(Update.UNSPECIFIED, route())) == Code.INVALID_ARGUMENT
    assert primary.refusal(p4r.Update(type=Update.INSERT)) == Code.INVALID_ARGUMENT
    extern = p4r.Entity(extern_entry=p4r.ExternEntry(extern_id=1))
    assert primary.refusal(p4r.Update(type=Update.INSERT, entity=extern)) == Code.UNIMPLEMENTED


# -- Entries that the program gives ---------------------------------------------------------------------------


def test_constant_entries_can_be_read_but_not_changed(primary, names, match):
    (entry,) = read_table(primary, names, "const_table")
    assert entry.is_const
    assert entry.match[0].exact.value == b"\xde\xad"
    change = names.entry("const_table", match.exact(b"\xde\xad"), action=names.action("NoAction"))
    assert primary.refusal(table_update(Update.MODIFY, change)) == Code.PERMISSION_DENIED
    assert primary.refusal(table_update(Update.DELETE, change)) == Code.PERMISSION_DENIED
    default = names.entry("const_table", is_default_action=True, action=names.action("drop"))
    primary.modify(table_entry=default)


def test_initial_entries_can_be_changed_but_for_constant_ones(primary, names, match):
    entries = {entry.match[0].exact.value: entry for entry in read_table(primary, names, "initial_table")}
    assert {key: entry.is_const for key, entry in entries.items()} == {b"\xde\xa1": True, b"\xde\xa2": False}
    constant = names.entry("initial_table", match.exact(b"\xde\xa1"), action=names.action("drop"))
    assert primary.refusal(table_update(Update.INSERT, constant)) == Code.ALREADY_EXISTS
    for kind in (Update.MODIFY, Update.DELETE):
        assert primary.refusal(table_update(kind, constant)) == Code.PERMISSION_DENIED
    constant.ClearField("action")
    primary.modify(table_entry=constant)
    constant.metadata = b"mine"
    assert primary.refusal(table_update(Update.MODIFY, constant)) == Code.PERMISSION_DENIED

    free = names.entry("initial_table", match.exact(b"\xde\xa2"), action=names.action("NoAction"), metadata=b"mine")
    primary.modify(table_entry=free)
    assert read_table(primary, names, "initial_table", match=free.match) == [free]
    primary.delete(table_entry=free)
    primary.insert(table_entry=free)
    one_more = names.entry("initial_table", match.exact(b"\xde\xa3"), action=names.action("NoAction"))
    primary.insert(table_entry=one_more)
    primary.delete(table_entry=free)
    left = {entry.match[0].exact.value for entry in read_table(primary, names, "initial_table")}
    assert left == {b"\xde\xa1", b"\xde\xa3"}


def test_initial_entries_count_towards_the_size(primary, names, match):
    (size,) = (table.size for table in names.info.tables if table.preamble.alias == "initial_table")
    keys = [match.exact(number.to_bytes(2, "big")) for number in range(size - 2)]
    entries = [names.entry("initial_table", key, action=names.action("drop")) for key in keys]
    primary.write(*(table_update(Update.INSERT, entry) for entry in entries))
    one_more = names.entry("initial_table", match.exact(b"\xff\xff"), action=names.action("drop"))
    assert primary.refusal(table_update(Update.INSERT, one_more)) == Code.RESOURCE_EXHAUSTED


def test_a_batch_that_is_taken_back_leaves_initial_entries(primary, names, match):
    before = read_table(primary, names, "initial_table")
    free = names.entry("initial_table", match.exact(b"\xde\xa2"), action=names.action("NoAction"))
    updates = [table_update(Update.DELETE, free), table_update(Update.DELETE, free)]
    codes = primary.try_write(*updates, atomicity=p4r.WriteRequest.DATAPLANE_ATOMIC)
    assert codes == [Code.ABORTED, Code.NOT_FOUND]
    assert read_table(primary, names, "initial_table") == before


# -- Reads ----------------------------------------------------------------------------------------------------


def test_reads_select_by_table_match_priority_action_and_metadata(primary, names, match, route, rule):
    routes = [route(metadata=b"a"), route(prefix=b"\x0b\0\0\0", metadata=b"b")]
    rules = [rule(priority=1), rule(priority=2), rule(priority=3, action="NoAction")]
    for entry in [*routes, *rules]:
        primary.insert(table_entry=entry)
    everything = primary.read(table_entry=p4r.TableEntry())
    assert len(everything) == 2 + 3 + 1 + 2  # and the program's own
    assert read_table(primary, names, "lpm_table", match=[match.lpm(b"\x0b\0\0\0", 8)]) == routes[1:]
    assert read_table(primary, names, "lpm_table", match=[match.lpm(b"\x0c\0\0\0", 8)]) == []
    assert read_table(primary, names, "lpm_table", metadata=b"a") == routes[:1]
    assert [entry.priority for entry in read_table(primary, names, "ternary_table", priority=2)] == [2]
    by_action = p4r.TableAction(action=names.action("NoAction"))
    assert [entry.priority for entry in read_table(primary, names, "ternary_table", action=by_action)] == [3]


def test_impossible_reads_are_refused(primary, names, match):
    code = primary.code
    assert code(lambda: primary.read(table_entry=p4r.TableEntry(table_id=99))) == Code.NOT_FOUND
    keyed = p4r.TableEntry(match=[match.exact(b"\1")])
    assert code(lambda: primary.read(table_entry=keyed)) == Code.INVALID_ARGUMENT
    wrong = p4r.TableEntry(table_id=names.id("lpm_table"), match=[match.exact(b"\1")])
    assert code(lambda: primary.read(table_entry=wrong)) == Code.INVALID_ARGUMENT
    empty = p4r.ReadRequest(device_id=1, entities=[p4r.Entity()])
    assert code(lambda: list(primary.stub.Read(empty))) == Code.INVALID_ARGUMENT
    elsewhere = p4r.ReadRequest(device_id=2, entities=[p4r.Entity(table_entry=p4r.TableEntry())])
    assert code(lambda: list(primary.stub.Read(elsewhere))) == Code.NOT_FOUND


# -- Direct resources -----------------------------------------------------------------------------------------


def metered(names, match, **fields):
    return names.entry("exact_table", match.exact(b"\1"), action=names.action("forward_metered", b"\2"), **fields)


def test_direct_resources_are_written_with_the_entry_and_read_on_request(primary, names, match):
    counts = p4r.CounterData(packet_count=3, byte_count=300)
    rates = p4r.MeterConfig(cir=10, cburst=2, pir=20, pburst=4)
    primary.insert(table_entry=metered(names, match, counter_data=counts, meter_config=rates))
    (plain,) = read_table(primary, names, "exact_table")
    assert plain == metered(names, match)
    (full,) = read_table(primary, names, "exact_table", counter_data=p4r.CounterData(), meter_config=p4r.MeterConfig())
    assert (full.counter_data, full.meter_config) == (counts, rates)


def test_modify_keeps_counts_and_resets_the_meter_unless_given(primary, names, match):
    counts = p4r.CounterData(packet_count=3, byte_count=300)
    rates = p4r.MeterConfig(cir=10, cburst=2, pir=20, pburst=4)
    primary.insert(table_entry=metered(names, match, counter_data=counts, meter_config=rates))
    primary.modify(table_entry=metered(names, match))
    request = {"counter_data": p4r.CounterData(), "meter_config": p4r.MeterConfig()}
    (read,) = read_table(primary, names, "exact_table", **request)
    assert read.counter_data == counts
    assert not read.HasField("meter_config")


def test_direct_counters_and_meters_as_entities_of_their_own(primary, names, match):
    primary.insert(table_entry=metered(names, match))
    key = p4r.TableEntry(table_id=names.id("exact_table"), match=[match.exact(b"\1")])
    counts = p4r.CounterData(packet_count=5, byte_count=500)
    rates = p4r.MeterConfig(cir=1, cburst=1, pir=2, pburst=2)
    primary.modify(direct_counter_entry=p4r.DirectCounterEntry(table_entry=key, data=counts))
    primary.modify(direct_meter_entry=p4r.DirectMeterEntry(table_entry=key, config=rates))
    for wanted in (key, p4r.TableEntry(table_id=key.table_id), p4r.TableEntry()):
        (counter,) = primary.read(direct_counter_entry=p4r.DirectCounterEntry(table_entry=wanted))
        assert counter == p4r.DirectCounterEntry(table_entry=key, data=counts)
        (meter,) = primary.read(direct_meter_entry=p4r.DirectMeterEntry(table_entry=wanted))
        assert meter == p4r.DirectMeterEntry(table_entry=key, config=rates)
    primary.modify(direct_meter_entry=p4r.DirectMeterEntry(table_entry=key))
    (meter,) = primary.read(direct_meter_entry=p4r.DirectMeterEntry(table_entry=key))
    assert not meter.HasField("config")


def test_rules_of_direct_entities(primary, names, match):
    key = p4r.TableEntry(table_id=names.id("exact_table"), match=[match.exact(b"\1")])
    absent = p4r.DirectCounterEntry(table_entry=key, data=p4r.CounterData(packet_count=1))
    none_there = p4r.DirectCounterEntry(table_entry=p4r.TableEntry(table_id=names.id("lpm_table")))
    for kind, entry, code in [
        (Update.INSERT, absent, Code.INVALID_ARGUMENT),
        (Update.DELETE, absent, Code.INVALID_ARGUMENT),
        (Update.MODIFY, absent, Code.NOT_FOUND),
        (Update.MODIFY, none_there, Code.INVALID_ARGUMENT),
    ]:
        update = p4r.Update(type=kind, entity=p4r.Entity(direct_counter_entry=entry))
        assert primary.refusal(update) == code
    assert primary.code(lambda: primary.read(direct_counter_entry=absent)) == Code.NOT_FOUND
    uneven = p4r.MeterConfig(cir=3, pir=2)
    primary.insert(table_entry=metered(names, match))
    update = p4r.Entity(direct_meter_entry=p4r.DirectMeterEntry(table_entry=key, config=uneven))
    assert primary.refusal(p4r.Update(type=Update.MODIFY, entity=update)) == Code.INVALID_ARGUMENT


# -- Idle timeouts --------------------------------------------------------------------------------------------


def test_an_idle_entry_is_reported_to_the_primary(client, config, names, match):
    stream = client.become_primary()
    client.set_config(config)
    entry = names.entry(
        "idle_table", match.exact(b"\1"), action=names.action("NoAction"), idle_timeout_ns=100_000_000, metadata=b"k"
    )
    client.insert(table_entry=entry)
    (read,) = read_table(client, names, "idle_table")
    assert read == entry
    notification = stream.receive("idle_timeout_notification")
    (expired,) = notification.table_entry
    assert (expired.match, expired.metadata, expired.idle_timeout_ns) == (entry.match, b"k", 100_000_000)
    assert notification.timestamp > 1_600_000_000_000_000_000
    again = stream.receive("idle_timeout_notification")
    assert again.table_entry == notification.table_entry
    assert again.timestamp >= notification.timestamp + 100_000_000
    request = {"time_since_last_hit": p4r.TableEntry.IdleTimeout()}
    (read,) = read_table(client, names, "idle_table", **request)
    assert read.time_since_last_hit.elapsed_ns >= 100_000_000
    client.delete(table_entry=entry)
    assert stream.is_silent(0.3) or stream.is_silent(0.3)


# -- Faults that the model of the switch's state found -----------------------------------------------------------------


@pytest.mark.parametrize("field", [{"metadata": b"m"}, {"controller_metadata": 1}])
def test_a_change_of_a_constant_entry_is_refused_and_not_ignored(primary, names, match, field):
    entry = names.entry("const_table", match.exact(b"\xde\xad"), **field)
    assert primary.refusal(table_update(Update.MODIFY, entry)) == Code.PERMISSION_DENIED


def test_action_id_0_selects_no_entry_with_a_member(primary, names, match):
    member = p4r.ActionProfileMember(
        action_profile_id=names.id("choices"), member_id=1, action=names.action("forward", b"\1")
    )
    primary.insert(action_profile_member=member)
    entry = names.entry("selected_table", match.exact(b"\1"))
    entry.action.action_profile_member_id = 1
    primary.insert(table_entry=entry)
    nameless = p4r.TableAction(action=p4r.Action())
    assert read_table(primary, names, "selected_table") == [entry]
    assert read_table(primary, names, "selected_table", action=nameless) == []
