# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The running and the saved program, and what each config action does to them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Literal

from finsy import GRPCStatusCode as Code
from finsy.proto import p4r

from .program import Program, read_program
from .render import (
    cell_message,
    counter_message,
    digest_message,
    entry_message,
    group_message,
    key_message,
    member_message,
    rates_message,
    value_set_message,
)
from .state import State, initial_state
from .tables import INSERT, MODIFY, Effect, nothing
from .verdict import Verdict
from .writes import judge_update

Set = p4r.SetForwardingPipelineConfigRequest
Get = p4r.GetForwardingPipelineConfigRequest
Quality = Literal["good", "broken", "unknown"]
"""Whether the switch has to take a config: one of a compiler, one that contradicts itself, or one that was damaged."""

_CONFIG_ACTIONS = (Set.VERIFY, Set.VERIFY_AND_SAVE, Set.VERIFY_AND_COMMIT, Set.RECONCILE_AND_COMMIT)


class DeviceModel:
    """The state of one device."""

    def __init__(self) -> None:
        self.running: State | None = None
        self.saved: State | None = None
        self._programs: dict[bytes, Program] = {}

    @property
    def target(self) -> State | None:
        """The pipeline to which reads and writes refer."""
        return self.saved or self.running

    def judge_config(self, request: Set, quality: Quality, verdict: Verdict) -> Effect:
        """A change of the config, after arbitration."""
        if request.action == Set.COMMIT:
            return self._judge_commit(request, verdict)
        if request.action not in _CONFIG_ACTIONS:
            verdict.invalid(f"action {request.action}")
        if not request.HasField("config"):
            verdict.invalid("no config is given")
        elif quality == "broken":
            verdict.invalid("the config contradicts itself")
            verdict.may_refuse(Code.RESOURCE_EXHAUSTED, "a server may limit sizes")
        elif quality == "unknown":
            verdict.may_refuse(Code.INVALID_ARGUMENT, "a damaged config")
            verdict.may_refuse(Code.RESOURCE_EXHAUSTED, "a server may limit sizes")
        if not verdict.accepts or request.action == Set.VERIFY:
            return nothing
        program = self._program(request.config)
        if request.action == Set.VERIFY_AND_SAVE:
            return lambda: self._become(self.running, initial_state(program))
        if request.action == Set.VERIFY_AND_COMMIT or self.running is None:
            return lambda: self._become(initial_state(program), None)
        return self._judge_reconcile(self.running, program, verdict)

    def _judge_commit(self, request: Set, verdict: Verdict) -> Effect:
        if request.HasField("config"):
            verdict.invalid("COMMIT takes no config")
        if self.saved is None:
            verdict.refuse(Code.NOT_FOUND, "no config was saved")
        return lambda: self._become(self.saved, None)

    def _judge_reconcile(self, running: State, program: Program, verdict: Verdict) -> Effect:
        old = running.program.config
        if (old.p4info, old.p4_device_config) == (program.config.p4info, program.config.p4_device_config):

            def keep() -> None:
                running.program = program
                self.saved = None

            return keep
        state = initial_state(program)
        for number in state.tables.keys() & running.tables.keys():
            held = state.tables[number]
            held.entries = {place: entry for place, entry in held.entries.items() if entry.is_const}
        for update in carried_over(running):
            refused, effect = judge_update(state, update)
            if not refused.accepts:
                verdict.invalid(f"the state does not fit the new program: {next(iter(refused.broken.values()))}")
                return nothing
            effect()
        return lambda: self._become(state, None)

    def _become(self, running: State | None, saved: State | None) -> None:
        self.running, self.saved = running, saved

    def _program(self, config: p4r.ForwardingPipelineConfig) -> Program:
        key = hashlib.sha256(config.SerializeToString(deterministic=True)).digest()
        if key not in self._programs:
            if len(self._programs) > 64:
                self._programs.clear()
            self._programs[key] = read_program(config)
        return self._programs[key]

    def config_response(self, response_type: int) -> p4r.GetForwardingPipelineConfigResponse:
        """The answer to a client that reads the config."""
        response = p4r.GetForwardingPipelineConfigResponse()
        if self.running is None:
            return response
        response.config.CopyFrom(self.running.program.config)
        if response_type in (Get.COOKIE_ONLY, Get.DEVICE_CONFIG_AND_COOKIE):
            response.config.ClearField("p4info")
        if response_type in (Get.COOKIE_ONLY, Get.P4INFO_AND_COOKIE):
            response.config.ClearField("p4_device_config")
        return response


def carried_over(state: State) -> Iterator[p4r.Update]:
    """The updates that bring a fresh program to a state."""
    for profile_id, members in state.members.items():
        for number, call in members.items():
            yield p4r.Update(type=INSERT, entity=member_message(profile_id, number, call))
    for profile_id, groups in state.groups.items():
        for number, group in groups.items():
            yield p4r.Update(type=INSERT, entity=group_message(state.program.profiles[profile_id], number, group))
    yield from _carried_tables(state)
    for multicast in state.multicast_groups.values():
        entry = p4r.PacketReplicationEngineEntry(multicast_group_entry=multicast)
        yield p4r.Update(type=INSERT, entity=p4r.Entity(packet_replication_engine_entry=entry))
    for session in state.clone_sessions.values():
        entry = p4r.PacketReplicationEngineEntry(clone_session_entry=session)
        yield p4r.Update(type=INSERT, entity=p4r.Entity(packet_replication_engine_entry=entry))
    for number, config in state.digests.items():
        yield p4r.Update(type=INSERT, entity=digest_message(number, config))
    for number in state.value_sets:
        yield p4r.Update(type=MODIFY, entity=value_set_message(state, number))
    yield from _carried_cells(state)


def _carried_tables(state: State) -> Iterator[p4r.Update]:
    everything = p4r.TableEntry()
    everything.counter_data.SetInParent()
    everything.meter_config.SetInParent()
    for number, table in state.program.tables.items():
        held = state.tables[number]
        for place, entry in held.entries.items():
            entity = entry_message(table, place, entry, everything)
            if not entry.is_const:
                yield p4r.Update(type=INSERT, entity=entity)
            elif entry.counter != (0, 0) or entry.meter is not None:
                entity.table_entry.is_const = False
                entity.table_entry.ClearField("action")
                yield p4r.Update(type=MODIFY, entity=entity)
        if held.default_is_set:
            entity = entry_message(table, None, held.default, everything)
            entity.table_entry.is_const = False
            yield p4r.Update(type=MODIFY, entity=entity)
        if held.default.meter is not None:
            meter = p4r.DirectMeterEntry(table_entry=key_message(table, None), config=rates_message(held.default.meter))
            yield p4r.Update(type=MODIFY, entity=p4r.Entity(direct_meter_entry=meter))
        if held.default.counter != (0, 0):
            counter = p4r.DirectCounterEntry(table_entry=key_message(table, None))
            counter.data.CopyFrom(counter_message(held.default.counter))
            yield p4r.Update(type=MODIFY, entity=p4r.Entity(direct_counter_entry=counter))


def _carried_cells(state: State) -> Iterator[p4r.Update]:
    for number, counters in state.counters.items():
        for place, value in enumerate(counters):
            if value != (0, 0):
                counter = p4r.CounterEntry(counter_id=number, data=counter_message(value))
                counter.index.index = place
                yield p4r.Update(type=MODIFY, entity=p4r.Entity(counter_entry=counter))
    for number, meters in state.meters.items():
        for place, rates in enumerate(meters):
            if rates is not None:
                meter = p4r.MeterEntry(meter_id=number, config=rates_message(rates))
                meter.index.index = place
                yield p4r.Update(type=MODIFY, entity=p4r.Entity(meter_entry=meter))
    for number, cells in state.registers.items():
        for place, cell in enumerate(cells):
            if cell:
                data = cell_message(state.program.registers[number][1], cell)
                register = p4r.RegisterEntry(register_id=number, data=data)
                register.index.index = place
                yield p4r.Update(type=MODIFY, entity=p4r.Entity(register_entry=register))
