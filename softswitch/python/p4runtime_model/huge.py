# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Updates that are far larger than anybody needs, and still have to be answered in time."""

from __future__ import annotations

from finsy.proto import p4r

from .actions import MAX_PORT
from .draw import Draw
from .engines import MAX_GROUP
from .generate import update
from .state import State
from .tables import INSERT, MODIFY


def huge_updates(draw: Draw, state: State) -> list[p4r.Update]:
    """Many updates, or one with a long list."""
    way = draw.randrange(5)
    if way == 0:
        return [update(draw, state)] * draw.choice([500, 2000])
    if way == 1:
        return [_multicast(draw.randint(1, MAX_GROUP), draw.choice([1000, 20_000]))]
    found = update(draw, state)
    kind = found.entity.WhichOneof("entity")
    if kind == "table_entry" and way == 2:
        found.entity.table_entry.match.extend(p4r.FieldMatch(field_id=number) for number in range(20_000))
    elif kind == "table_entry":
        chosen = found.entity.table_entry.action.action_profile_action_set.action_profile_actions
        chosen.extend(p4r.ActionProfileAction(weight=1) for _ in range(5000))
    elif kind == "action_profile_group":
        group = found.entity.action_profile_group
        group.members.extend(p4r.ActionProfileGroup.Member(member_id=number, weight=1) for number in range(20_000))
    elif kind == "action_profile_member":
        found.entity.action_profile_member.action.params.extend(
            p4r.Action.Param(param_id=number, value=b"\1") for number in range(20_000)
        )
    elif state.value_sets:
        entry = p4r.ValueSetEntry(value_set_id=draw.choice(list(state.value_sets)))
        entry.members.extend(p4r.ValueSetMember() for _ in range(20_000))
        found = p4r.Update(type=MODIFY, entity=p4r.Entity(value_set_entry=entry))
    return [found]


def _multicast(number: int, count: int) -> p4r.Update:
    entry = p4r.MulticastGroupEntry(multicast_group_id=number)
    entry.replicas.extend(
        p4r.Replica(egress_port=place % MAX_PORT, instance=place // MAX_PORT) for place in range(count)
    )
    replication = p4r.PacketReplicationEngineEntry(multicast_group_entry=entry)
    return p4r.Update(type=INSERT, entity=p4r.Entity(packet_replication_engine_entry=replication))
