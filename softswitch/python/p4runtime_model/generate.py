# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Updates and reads of every kind that the state of the model accepts, in most cases."""

from __future__ import annotations

from collections.abc import Callable

from finsy.proto import p4d, p4r

from .draw import Draw
from .generate_tables import (
    counter_data,
    direct_update,
    meter_config,
    profile_update,
    table_update,
    value_set_update,
)
from .program import Scalar
from .state import State
from .tables import DELETE, INSERT, MODIFY
from .values import shortest_signed


def _index(draw: Draw, size: int) -> p4r.Index | None:
    return p4r.Index(index=draw.choice([0, size - 1, draw.randrange(size)])) if draw.chance(0.9) else None


def _counter(draw: Draw, state: State) -> p4r.Update | None:
    if not state.counters:
        return None
    number = draw.choice(list(state.counters))
    entry = p4r.CounterEntry(
        counter_id=number, index=_index(draw, len(state.counters[number])), data=counter_data(draw)
    )
    return p4r.Update(type=MODIFY, entity=p4r.Entity(counter_entry=entry))


def _meter(draw: Draw, state: State) -> p4r.Update | None:
    if not state.meters:
        return None
    number = draw.choice(list(state.meters))
    config = meter_config(draw, state.program.meters[number].spec) if draw.chance(0.8) else None
    entry = p4r.MeterEntry(meter_id=number, index=_index(draw, len(state.meters[number])), config=config)
    return p4r.Update(type=MODIFY, entity=p4r.Entity(meter_entry=entry))


def _register(draw: Draw, state: State) -> p4r.Update | None:
    if not state.registers:
        return None
    number = draw.choice(list(state.registers))
    data = cell(draw, state.program.registers[number][1])
    entry = p4r.RegisterEntry(register_id=number, index=_index(draw, len(state.registers[number])), data=data)
    return p4r.Update(type=MODIFY, entity=p4r.Entity(register_entry=entry))


def cell(draw: Draw, scalar: Scalar) -> p4d.P4Data:
    """A register's new value."""
    if scalar.kind == "bool":
        return p4d.P4Data(bool=draw.chance(0.5))
    value = draw.number(max(scalar.bits, 1))
    if scalar.kind == "enum":
        return p4d.P4Data(enum_value=draw.encoded(value))
    if scalar.kind == "int":
        return p4d.P4Data(bitstring=shortest_signed(value - (1 << (scalar.bits - 1))))
    return p4d.P4Data(bitstring=draw.encoded(value))


def _replicas(draw: Draw) -> list[p4r.Replica]:
    pairs = sorted({(draw.number(9), draw.number(16)) for _ in range(draw.randrange(4))})
    backups = [p4r.BackupReplica(port=draw.encoded(port), instance=instance) for port, instance in pairs]
    if backups and draw.chance(0.2):
        return [p4r.Replica(port=draw.encoded(draw.number(9)), instance=0, backup_replicas=backups)]
    return [
        p4r.Replica(egress_port=port, instance=instance)
        if draw.chance(0.3)
        else p4r.Replica(port=draw.encoded(port), instance=instance)
        for port, instance in pairs
    ]


def _replication(draw: Draw, state: State) -> p4r.Update:
    kind = draw.choice([INSERT, INSERT, MODIFY, DELETE])
    if draw.chance(0.5):
        number = draw.maybe(list(state.multicast_groups), 0.9 if kind != INSERT else 0.05) or draw.choice(
            [draw.randint(1, 30), 0xFFFF]
        )
        group = p4r.MulticastGroupEntry(multicast_group_id=number, replicas=_replicas(draw), metadata=draw.text())
        entry = p4r.PacketReplicationEngineEntry(multicast_group_entry=group)
    else:
        number = draw.maybe(list(state.clone_sessions), 0.9 if kind != INSERT else 0.05) or draw.choice(
            [draw.randint(1, 30), 0x7FFF]
        )
        session = p4r.CloneSessionEntry(
            session_id=number,
            replicas=_replicas(draw),
            class_of_service=draw.randrange(8),
            packet_length_bytes=draw.choice([0, 1, 128, 2**31 - 1]),
        )
        entry = p4r.PacketReplicationEngineEntry(clone_session_entry=session)
    return p4r.Update(type=kind, entity=p4r.Entity(packet_replication_engine_entry=entry))


def _digest(draw: Draw, state: State) -> p4r.Update | None:
    if not state.program.digests:
        return None
    number = draw.choice(list(state.program.digests))
    kind = draw.choice([MODIFY, DELETE]) if number in state.digests else INSERT
    config = p4r.DigestEntry.Config(
        max_timeout_ns=draw.size(), max_list_size=draw.choice([0, 1, 5, 2**31 - 1]), ack_timeout_ns=draw.size()
    )
    return p4r.Update(type=kind, entity=p4r.Entity(digest_entry=p4r.DigestEntry(digest_id=number, config=config)))


_KINDS: list[tuple[int, Callable[[Draw, State], p4r.Update | None]]] = [
    (10, table_update),
    (5, profile_update),
    (2, direct_update),
    (2, _counter),
    (2, _meter),
    (2, _register),
    (3, _replication),
    (1, value_set_update),
    (1, _digest),
]


def update(draw: Draw, state: State) -> p4r.Update:
    """An update of some kind that the program has."""
    weights = [weight for weight, _ in _KINDS]
    while True:
        (_, make), *_ = draw.choices(_KINDS, weights)
        made = make(draw, state)
        if made is not None:
            return made


def reads(draw: Draw, state: State) -> p4r.Entity:
    """A request for one entity that exists or for all of a kind."""
    wanted = p4r.Entity()
    wanted.CopyFrom(update(draw, state).entity)
    kind = str(wanted.WhichOneof("entity"))
    part = getattr(wanted, kind)
    if kind in ("counter_entry", "meter_entry", "register_entry"):
        part.ClearField("config" if kind == "meter_entry" else "data")
        # All cells of a large array only now and then.
        if not part.HasField("index"):
            part.index.index = 0
        return wanted
    if draw.chance(0.4):
        part.Clear()
        part.SetInParent()
    if kind == "table_entry":
        _filters(draw, state, wanted.table_entry)
    return wanted


def _filters(draw: Draw, state: State, entry: p4r.TableEntry) -> None:
    entry.ClearField("action")
    entry.ClearField("is_const")
    if draw.chance(0.5):
        entry.counter_data.SetInParent()
    if draw.chance(0.5):
        entry.meter_config.SetInParent()
    if draw.chance(0.2):
        entry.time_since_last_hit.SetInParent()
    if draw.chance(0.3):
        entry.ClearField("match")
    if draw.chance(0.15) and state.program.actions:
        entry.action.action.action_id = draw.choice(list(state.program.actions))
