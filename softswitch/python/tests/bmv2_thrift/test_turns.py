# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A reader holds the device's lock for a part of its work only: others have their turn after that."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
from finsy.proto import p4i, p4r, p4r_grpc
from quench_switch._native import RealtimeSwitch, compile_p4
from quench_switch.bmv2_thrift.replication import MAX_FOLLOWING
from quench_switch.bmv2_thrift.running import CELLS, Running
from quench_switch.fair_lock import FairLock
from quench_switch.p4runtime.device import Device
from quench_switch.p4runtime.grpc_server import GrpcServer
from quench_switch.p4runtime.limits import PAGE, READ_CHUNK
from quench_switch.p4runtime.server import P4RuntimeServer
from sswitch_runtime.ttypes import MirroringSessionConfig
from thrift.Thrift import TApplicationException

MANY = Path(__file__).parent / "programs/many.p4"
ENTRIES = 10 * PAGE + 3
CELLS_OF_ARRAY = 1000
TIMEOUT_S = 60
TABLE, PROFILE, REGISTER = "MyIngress.prefixes", "MyIngress.paths", "MyIngress.cells"
SEND = ("MyIngress.send", [b"\1"])


class Counting:
    """The data plane, with a count of what each hold of a lock reads or changes."""

    def __init__(self, inner: RealtimeSwitch) -> None:
        self.inner = inner
        self.most = self.total = self._in_this_hold = 0

    def watch(self, lock: FairLock) -> None:
        """Count by the holds of a lock."""
        acquire = lock.acquire

        def counted() -> None:
            acquire()
            self._in_this_hold = 0

        lock.acquire = counted

    def forget(self) -> None:
        """Begin anew."""
        self.most = self.total = 0

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.inner, name)

        def call(*arguments: Any) -> Any:
            result = method(*arguments)
            items = result[0] if name.endswith("_page") else result
            self.count(len(items) if isinstance(items, list) else 1)
            return result

        return call if callable(method) else method

    def count(self, items: int) -> None:
        """Count what was read or changed in the present hold."""
        self.total += items
        self._in_this_hold += items
        self.most = max(self.most, self._in_this_hold)


class CountingForms:
    """The forms of a program, which read the data plane by themselves: a page with something counts whole."""

    def __init__(self, counting: Counting, inner: Any) -> None:
        self._counting, self._inner = counting, inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def entries(self, _: Any, table: int, request: bytes, place: int, count: int) -> Any:
        """See ``Forms``."""
        return self._counted(count, self._inner.entries(self._counting.inner, table, request, place, count))

    def members(self, _: Any, profile: int, member: int, place: int, count: int) -> Any:
        """See ``Forms``."""
        return self._counted(count, self._inner.members(self._counting.inner, profile, member, place, count))

    def _counted(self, count: int, page: Any) -> Any:
        found, next_place = page
        self._counting.count(count if found or next_place is not None else 0)
        return page


@pytest.fixture(scope="session")
def config() -> p4r.ForwardingPipelineConfig:
    compiled = compile_p4(str(MANY))
    info = p4i.P4Info.FromString(compiled.p4info_binary)
    return p4r.ForwardingPipelineConfig(p4info=info, p4_device_config=compiled.json.encode())


@pytest.fixture
def counting() -> Iterator[Counting]:
    switch = RealtimeSwitch(priority_queues=4)
    yield Counting(switch)
    switch.stop()


def fill(switch: Any) -> None:
    for number in range(ENTRIES):
        switch.table_insert(TABLE, [("lpm", number.to_bytes(6, "big"), 48)], 0, ("action", *SEND))
        switch.member_insert(PROFILE, number, SEND)
        switch.group_insert(PROFILE, number, [(0, 1, None)])
        switch.multicast_group_set(number + 1, [(1, 1)])


@pytest.fixture
def device(counting: Counting, config: p4r.ForwardingPipelineConfig) -> Device:
    device = Device(counting, None)
    device.load(config)
    fill(counting)
    counting.watch(device.lock)
    return device


THRIFT: dict[str, tuple[Callable[[Any], object], int]] = {
    "entries": (lambda api: api.standard.bm_mt_get_entries(0, TABLE), ENTRIES),
    "number of entries": (lambda api: api.standard.bm_mt_get_num_entries(0, TABLE), ENTRIES),
    "entry": (lambda api: api.standard.bm_mt_get_entry(0, TABLE, ENTRIES - 1), ENTRIES),
    "members": (lambda api: api.standard.bm_mt_act_prof_get_members(0, PROFILE), ENTRIES),
    "member": (lambda api: api.standard.bm_mt_act_prof_get_member(0, PROFILE, ENTRIES - 1), ENTRIES),
    "groups": (lambda api: api.standard.bm_mt_act_prof_get_groups(0, PROFILE), ENTRIES),
    "group": (lambda api: api.standard.bm_mt_act_prof_get_group(0, PROFILE, ENTRIES - 1), ENTRIES),
    "multicast groups": (lambda api: api.multicast.bm_mc_get_entries(0), ENTRIES),
    "registers": (lambda api: api.standard.bm_register_read_all(0, REGISTER), CELLS_OF_ARRAY),
    "deletion of all": (lambda api: api.standard.bm_mt_clear_entries(0, TABLE, True), 2 * ENTRIES),
}


@pytest.mark.parametrize("what", THRIFT)
def test_a_call_by_thrift_takes_so_many_items_in_a_turn(
    clients: SimpleNamespace, counting: Counting, what: str
) -> None:
    call, items = THRIFT[what]
    counting.forget()
    call(clients)
    assert counting.total >= items
    # A page, a deletion for each of its entries, and what is looked up besides.
    assert counting.most <= 2 * PAGE + 8


def test_a_change_of_multicast_reads_and_changes_what_it_is_about(clients: SimpleNamespace, counting: Counting) -> None:
    """Beside many groups, and with the most sessions of one group."""
    group, other = ENTRIES + 1, ENTRIES + 2
    api, node = clients.multicast, clients.multicast.bm_mc_node_create(0, 1, "1", "")
    steps: list[Callable[[], object]] = [
        lambda: api.bm_mc_mgrp_create(0, group),
        *(
            lambda number=number: clients.target.mirroring_session_add(number, MirroringSessionConfig(mgid=group))
            for number in range(MAX_FOLLOWING)
        ),
        lambda: api.bm_mc_node_associate(0, group, node),
        lambda: api.bm_mc_node_update(0, node, "10", ""),
        lambda: clients.target.mirroring_session_get(0),
        lambda: clients.target.mirroring_session_delete(0),
        lambda: api.bm_mc_node_dissociate(0, group, node),
        lambda: api.bm_mc_node_destroy(0, node),
        lambda: api.bm_mc_mgrp_destroy(0, group),
        lambda: clients.target.mirroring_session_add(other, MirroringSessionConfig(port=1)),
    ]
    for step in steps:
        counting.forget()
        step()
        assert counting.total <= 3 * MAX_FOLLOWING + 8 < ENTRIES


P4RUNTIME = {
    "entries": (p4r.Entity(table_entry=p4r.TableEntry()), ENTRIES),
    "members": (p4r.Entity(action_profile_member=p4r.ActionProfileMember()), ENTRIES),
    "a member": (p4r.Entity(action_profile_member=p4r.ActionProfileMember(member_id=ENTRIES - 1)), 1),
    # These are not P4Runtime's, which does not show them.
    "groups": (p4r.Entity(action_profile_group=p4r.ActionProfileGroup()), 0),
    "registers": (p4r.Entity(register_entry=p4r.RegisterEntry(register_id=1)), CELLS_OF_ARRAY),
    "counters": (p4r.Entity(counter_entry=p4r.CounterEntry()), CELLS_OF_ARRAY),
}


@pytest.mark.parametrize("what", P4RUNTIME)
async def test_a_read_by_p4runtime_takes_so_many_items_in_a_turn(
    counting: Counting, config: p4r.ForwardingPipelineConfig, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    entity, items = P4RUNTIME[what]
    service, server = P4RuntimeServer(counting, device_id=1, cpu_port=None), GrpcServer()
    service.device.load(config)
    state = service.device.entities().state
    monkeypatch.setattr(state, "forms", CountingForms(counting, state.forms))
    fill(counting)
    counting.watch(service.device.lock)
    counting.forget()
    if entity.HasField("register_entry"):
        entity.register_entry.register_id = config.p4info.registers[0].preamble.id
    service.register(server)
    address = server.listen("127.0.0.1:0")
    await server.start()
    async with grpc.aio.insecure_channel(address) as channel:
        request = p4r.ReadRequest(device_id=1, entities=[entity])
        found = [each async for answer in p4r_grpc.P4RuntimeStub(channel).Read(request) for each in answer.entities]
    await server.stop()
    assert len(found) == items
    assert counting.total >= ENTRIES
    assert counting.most <= READ_CHUNK + PAGE


def test_arrays_are_set_in_parts(device: Device) -> None:
    running = Running(device, device.switch)
    running.refresh()
    with device.lock:
        parts = list(running.cells(3, 2 * CELLS + 5))
    assert parts == [(3, CELLS), (CELLS + 3, CELLS), (2 * CELLS + 3, 2)]


def test_a_program_that_is_replaced_ends_a_call_in_its_middle(
    device: Device, clients: SimpleNamespace, counting: Counting, config: p4r.ForwardingPipelineConfig
) -> None:
    page, pages = counting.table_page, []

    def replaced(table: str, place: int, count: int) -> Any:
        pages.append(place)
        if len(pages) == 2:
            threading.Thread(target=device.load, args=(config,)).start()
            eventually(lambda: len(device.lock._waiting) == 1)
        return page(table, place, count)

    counting.table_page = replaced
    with pytest.raises(TApplicationException, match="the program was replaced during the call"):
        clients.standard.bm_mt_get_entries(0, TABLE)
    assert len(pages) == 2
    assert clients.standard.bm_mt_get_entries(0, TABLE) == []


def eventually(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_the_lock_goes_to_who_has_waited_longest() -> None:
    lock, order = FairLock(), []

    def take(number: int) -> None:
        for _ in range(2):
            with lock:
                order.append(number)

    threads = [threading.Thread(target=take, args=(number,)) for number in range(5)]
    with lock:
        for number, thread in enumerate(threads):
            thread.start()
            eventually(lambda count=number + 1: len(lock._waiting) == count)
    for thread in threads:
        thread.join(TIMEOUT_S)
    # A thread that gives it back and asks again comes after those that wait.
    assert order[:5] == [0, 1, 2, 3, 4]
    assert sorted(order[5:]) == [0, 1, 2, 3, 4]
