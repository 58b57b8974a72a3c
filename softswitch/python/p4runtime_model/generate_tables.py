# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Updates of table entries, members and groups that the state of the model accepts, in most cases."""

from __future__ import annotations

from finsy.proto import p4i, p4r

from .draw import Draw
from .program import Action, Profile, Table
from .render import (
    action_message,
    call_message,
    counter_message,
    group_message,
    key_message,
    match_messages,
    member_message,
)
from .state import EntryAction, Group, State
from .tables import DELETE, INSERT, MODIFY


def meter_config(draw: Draw, spec: p4i.MeterSpec) -> p4r.MeterConfig:
    """Rates of a meter."""
    low, high = sorted((draw.size(), draw.size()))
    burst = draw.size()
    if spec.type == p4i.MeterSpec.TWO_RATE_THREE_COLOR:
        return p4r.MeterConfig(cir=low, cburst=burst, pir=high, pburst=draw.size())
    excess = draw.size() if spec.type == p4i.MeterSpec.SINGLE_RATE_THREE_COLOR and draw.chance(0.7) else 0
    return p4r.MeterConfig(cir=low, cburst=burst, pir=low, pburst=burst, eburst=excess)


def counter_data(draw: Draw) -> p4r.CounterData:
    """Packets and bytes."""
    return counter_message((draw.size(), draw.size()))


def table_update(draw: Draw, state: State) -> p4r.Update | None:
    """An update of a table's entry or default entry."""
    tables = list(state.program.tables.values())
    if not tables:
        return None
    table = draw.choice(tables)
    if draw.chance(0.12) or not table.fields:
        return _default_update(draw, table)
    held = state.tables[table.id].entries
    kind = draw.choice([INSERT, INSERT, MODIFY, DELETE]) if not table.is_const else MODIFY
    place = draw.maybe(list(held)) if kind != INSERT else draw.maybe(list(held), 0.05)
    if place is None:
        place = (draw.key(table.fields), draw.choice([1, 2, draw.randint(1, 2**31 - 1)]) if table.needs_priority else 0)
    entry = key_message(table, place)
    if kind == DELETE:
        return p4r.Update(type=kind, entity=p4r.Entity(table_entry=entry))
    if kind == INSERT or (not table.is_const and draw.chance(0.8)):
        entry.action.CopyFrom(entry_action(draw, state, table))
    if not table.is_const:
        entry.metadata = draw.text()
        entry.controller_metadata = draw.choice([0, 0, 1, draw.getrandbits(64)])
    if table.has_idle_timeout and not table.is_const:
        entry.idle_timeout_ns = draw.choice([0, draw.randint(10**8, 10**10), 2**63 - 1])
    if table.counter and draw.chance(0.4):
        entry.counter_data.CopyFrom(counter_data(draw))
    if table.meter is not None and draw.chance(0.4):
        entry.meter_config.CopyFrom(meter_config(draw, table.meter))
    return p4r.Update(type=kind, entity=p4r.Entity(table_entry=entry))


def allowed(table: Table, is_default: bool) -> list[Action]:
    """The actions that one kind of entry can have."""
    forbidden = p4i.ActionRef.TABLE_ONLY if is_default else p4i.ActionRef.DEFAULT_ONLY
    return [action for number, action in table.actions.items() if table.scope(number) != forbidden]


def _default_update(draw: Draw, table: Table) -> p4r.Update:
    entry = p4r.TableEntry(table_id=table.id, is_default_action=True)
    actions = allowed(table, is_default=True)
    if actions and draw.chance(0.8):
        entry.action.action.CopyFrom(call_message(draw.call(actions)))
        entry.metadata = draw.text()
    if table.counter and draw.chance(0.3):
        entry.counter_data.CopyFrom(counter_data(draw))
    if table.meter is not None and draw.chance(0.3):
        entry.meter_config.CopyFrom(meter_config(draw, table.meter))
    return p4r.Update(type=MODIFY, entity=p4r.Entity(table_entry=entry))


def entry_action(draw: Draw, state: State, table: Table) -> p4r.TableAction:
    """An action as the table's implementation wants it."""
    actions = allowed(table, is_default=False) or list(table.actions.values())
    profile = state.program.profiles.get(table.info.implementation_id)
    if profile is None:
        return action_message(EntryAction(call=draw.call(actions)))
    number = profile.info.preamble.id
    members, groups = list(state.members[number]), list(state.groups[number])
    if groups and draw.chance(0.5):
        return action_message(EntryAction(group=draw.choice(groups)))
    if members:
        return action_message(EntryAction(member=draw.choice(members)))
    weights = _weights(draw, profile, draw.randrange(4))
    choices = tuple((draw.call(actions), weight, draw.port()) for weight in weights)
    return action_message(
        EntryAction(oneshot=choices, mode=draw.choice(p4r.ActionProfileActionSet.ActionSelectionMode.values()))
    )


def _weights(draw: Draw, profile: Profile, count: int) -> list[int]:
    if profile.info.weights_disallowed:
        return [0] * count
    limit = profile.info.sum_of_members.max_member_weight if profile.counts_members else 0
    return [draw.randint(1, limit or draw.choice([2, 5, 2**31 - 1])) for _ in range(count)]


def profile_update(draw: Draw, state: State) -> p4r.Update | None:
    """An update of a member or of a group."""
    profiles = list(state.program.profiles.values())
    if not profiles:
        return None
    profile = draw.choice(profiles)
    number = profile.info.preamble.id
    members, groups = state.members[number], state.groups[number]
    kind = draw.choice([INSERT, INSERT, MODIFY, DELETE])
    if profile.info.with_selector and members and draw.chance(0.5):
        group_id = draw.maybe(list(groups), 0.9 if kind != INSERT else 0.05) or draw.randint(1, 40)
        weights = _weights(draw, profile, draw.randrange(min(len(members), 4) + 1))
        chosen = draw.sample(sorted(members), len(weights))
        old = groups.get(group_id)
        size = sum(weights) if not profile.counts_members else len(weights)
        limit = profile.info.max_group_size
        max_size = old.max_size if old is not None else draw.choice([limit, min(size, limit or size, 2**31 - 1)])
        triples = tuple((member, weight, draw.port()) for member, weight in zip(chosen, weights, strict=True))
        return p4r.Update(type=kind, entity=group_message(profile, group_id, Group(triples, max_size)))
    member_id = draw.maybe(list(members), 0.9 if kind != INSERT else 0.05) or draw.choice(
        [draw.randint(1, 60), 2**32 - 1]
    )
    actions = list(profile.actions.values())
    return p4r.Update(type=kind, entity=member_message(number, member_id, draw.call(actions)))


def direct_update(draw: Draw, state: State) -> p4r.Update | None:
    """An update of a direct counter or meter."""
    tables = [table for table in state.program.tables.values() if table.counter or table.meter is not None]
    if not tables:
        return None
    table = draw.choice(tables)
    place = draw.maybe(list(state.tables[table.id].entries), 0.85)
    key = key_message(table, place)
    if table.counter and (table.meter is None or draw.chance(0.5)):
        direct = p4r.DirectCounterEntry(table_entry=key, data=counter_data(draw) if draw.chance(0.9) else None)
        return p4r.Update(type=MODIFY, entity=p4r.Entity(direct_counter_entry=direct))
    assert table.meter is not None
    config = meter_config(draw, table.meter) if draw.chance(0.8) else None
    direct_meter = p4r.DirectMeterEntry(table_entry=key, config=config)
    return p4r.Update(type=MODIFY, entity=p4r.Entity(direct_meter_entry=direct_meter))


def value_set_update(draw: Draw, state: State) -> p4r.Update | None:
    """New members of a value set."""
    if not state.value_sets:
        return None
    number = draw.choice(list(state.value_sets))
    info, fields = state.program.value_sets[number]
    keys = {draw.key(fields) for _ in range(draw.randint(0, info.size))}
    message = p4r.ValueSetEntry(value_set_id=number)
    for key in sorted(keys, key=repr):
        message.members.add(match=match_messages(fields, key))
    return p4r.Update(type=MODIFY, entity=p4r.Entity(value_set_entry=message))
