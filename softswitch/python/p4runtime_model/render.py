# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The messages in which the reference state has to be read back, in canonical form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from finsy.proto import p4d, p4r

from .keys import FieldKey, Key
from .program import Call, Field, Profile, Scalar, Table
from .state import Entry, EntryAction, Group, Rates, State
from .values import shortest, shortest_signed


def canonical_bytes(entity: p4r.Entity) -> bytes:
    """An entity with everything that has no order sorted, to be compared."""
    kind = entity.WhichOneof("entity")
    if kind == "table_entry":
        _sort_entry(entity.table_entry)
    elif kind in ("direct_counter_entry", "direct_meter_entry"):
        _sort_entry(getattr(entity, kind).table_entry)
    elif kind == "action_profile_member":
        entity.action_profile_member.action.params.sort(key=lambda param: param.param_id)
    elif kind == "action_profile_group":
        entity.action_profile_group.members.sort(key=lambda member: member.member_id)
    elif kind == "value_set_entry":
        for member in entity.value_set_entry.members:
            member.match.sort(key=lambda match: match.field_id)
        entity.value_set_entry.members.sort(key=lambda member: member.SerializeToString())
    return entity.SerializeToString(deterministic=True)


def _sort_entry(entry: p4r.TableEntry) -> None:
    entry.match.sort(key=lambda match: match.field_id)
    if entry.action.WhichOneof("type") == "action":
        entry.action.action.params.sort(key=lambda param: param.param_id)
    for item in entry.action.action_profile_action_set.action_profile_actions:
        item.action.params.sort(key=lambda param: param.param_id)


def match_messages(fields: Sequence[Field], key: Key) -> Iterator[p4r.FieldMatch]:
    """A key, without what matches anything."""
    for match, given in zip(fields, key, strict=True):
        if given is not None:
            yield _match(match, given)


def _match(match: Field, given: FieldKey) -> p4r.FieldMatch:
    assert given is not None
    message = p4r.FieldMatch(field_id=match.id)
    value = match.width.encode(given[1])
    if given[0] == "exact":
        message.exact.value = value
    elif given[0] == "optional":
        message.optional.value = value
    elif len(given) == 3 and given[0] == "lpm":
        message.lpm.value, message.lpm.prefix_len = value, given[2]
    elif len(given) == 3 and given[0] == "ternary":
        message.ternary.value, message.ternary.mask = value, shortest(given[2])
    elif len(given) == 3:
        message.range.low, message.range.high = value, match.width.encode(given[2])
    return message


def call_message(call: Call) -> p4r.Action:
    """An action with its parameters."""
    action, values = call
    message = p4r.Action(action_id=action.id)
    for param_id, value in values:
        message.params.add(param_id=param_id, value=action.params[param_id].encode(value))
    return message


def action_message(action: EntryAction) -> p4r.TableAction:
    """The action of an entry."""
    message = p4r.TableAction()
    if action.call is not None:
        message.action.CopyFrom(call_message(action.call))
    elif action.member is not None:
        message.action_profile_member_id = action.member
    elif action.group is not None:
        message.action_profile_group_id = action.group
    else:
        message.action_profile_action_set.SetInParent()
        message.action_profile_action_set.action_selection_mode = action.mode
        message.action_profile_action_set.size_semantics = action.semantics
        for call, weight, watch in action.oneshot or ():
            item = message.action_profile_action_set.action_profile_actions.add(
                action=call_message(call), weight=weight
            )
            if watch is not None:
                item.watch_port = shortest(watch)
    return message


def counter_message(value: tuple[int, int]) -> p4r.CounterData:
    """Packets and bytes."""
    return p4r.CounterData(packet_count=value[0], byte_count=value[1])


def rates_message(rates: Rates) -> p4r.MeterConfig:
    """A meter's configuration."""
    return p4r.MeterConfig(cir=rates[0], cburst=rates[1], pir=rates[2], pburst=rates[3], eburst=rates[4])


def colors_message() -> p4r.MeterCounterData:
    """The counts of the packets that a meter colored: none, in a campaign."""
    none = counter_message((0, 0))
    return p4r.MeterCounterData(green=none, yellow=none, red=none)


def key_message(table: Table, place: tuple[Key, int] | None) -> p4r.TableEntry:
    """The identity of an entry; None is the default entry."""
    if place is None:
        return p4r.TableEntry(table_id=table.id, is_default_action=True)
    return p4r.TableEntry(table_id=table.id, match=match_messages(table.fields, place[0]), priority=place[1])


def entry_message(table: Table, place: tuple[Key, int] | None, entry: Entry, request: p4r.TableEntry) -> p4r.Entity:
    """A table entry as a request for it is answered."""
    message = key_message(table, place)
    if entry.action is not None:
        message.action.CopyFrom(action_message(entry.action))
    message.metadata, message.controller_metadata = entry.metadata, entry.controller_metadata
    message.idle_timeout_ns = entry.idle_timeout_ns
    message.is_const = bool(table.info.const_default_action_id) if place is None else entry.is_const
    if request.HasField("counter_data") and table.counter:
        message.counter_data.CopyFrom(counter_message(entry.counter))
    if request.HasField("meter_config") and entry.meter is not None:
        message.meter_config.CopyFrom(rates_message(entry.meter))
    if request.HasField("meter_counter_data") and table.meter is not None:
        message.meter_counter_data.CopyFrom(colors_message())
    if request.HasField("time_since_last_hit") and table.has_idle_timeout and place is not None:
        message.time_since_last_hit.SetInParent()
    return p4r.Entity(table_entry=message)


def member_message(profile_id: int, number: int, call: Call) -> p4r.Entity:
    """A member."""
    member = p4r.ActionProfileMember(action_profile_id=profile_id, member_id=number, action=call_message(call))
    return p4r.Entity(action_profile_member=member)


def group_message(profile: Profile, number: int, group: Group) -> p4r.Entity:
    """A group."""
    message = p4r.ActionProfileGroup(
        action_profile_id=profile.info.preamble.id, group_id=number, max_size=group.max_size
    )
    for member, weight, watch in group.members:
        item = message.members.add(member_id=member, weight=weight)
        if watch is not None:
            item.watch_port = shortest(watch)
    return p4r.Entity(action_profile_group=message)


def cell_message(scalar: Scalar, value: int | bool) -> p4d.P4Data:
    """A register's cell."""
    if scalar.kind == "bool":
        return p4d.P4Data(bool=bool(value))
    if scalar.kind == "enum":
        return p4d.P4Data(enum_value=shortest(value))
    return p4d.P4Data(bitstring=shortest_signed(value) if scalar.kind == "int" else shortest(value))


def digest_message(number: int, config: tuple[int, int, int]) -> p4r.Entity:
    """The configuration of a digest."""
    values = p4r.DigestEntry.Config(max_timeout_ns=config[0], max_list_size=config[1], ack_timeout_ns=config[2])
    return p4r.Entity(digest_entry=p4r.DigestEntry(digest_id=number, config=values))


def value_set_message(state: State, number: int) -> p4r.Entity:
    """A value set with its members."""
    message = p4r.ValueSetEntry(value_set_id=number)
    for key in state.value_sets[number]:
        message.members.add(match=match_messages(state.program.value_sets[number][1], key))
    return p4r.Entity(value_set_entry=message)
