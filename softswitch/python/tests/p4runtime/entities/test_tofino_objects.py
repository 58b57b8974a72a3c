# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Each object of a program for Tofino over P4Runtime, and what packets find of it: they come to the CPU with that."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from finsy import GRPCStatusCode as Code
from finsy.proto import p4d, p4i, p4r
from google.protobuf.json_format import MessageToDict
from p4runtime_lab import extern_entry, fields_of
from quench_switch._native import compile_p4
from quench_switch.tna.p4info import standard

PROGRAM = Path(__file__).parents[1] / "programs" / "tofino.p4"
RECONCILE = p4r.SetForwardingPipelineConfigRequest.RECONCILE_AND_COMMIT
CPU_PORT = 510
INDEX = b"\3"
"""The index of the packets that are sent."""
LEARN = 255
"""The kind of packets that a digest is about, and that do not come to the CPU."""


class Result(NamedTuple):
    """The values that a packet found."""

    total: int
    average: int
    dropped: int
    member: int
    way: int
    marked: int


@pytest.fixture(scope="module")
def tofino() -> p4r.ForwardingPipelineConfig:
    output = compile_p4(str(PROGRAM), arch="tna")
    info = p4i.P4Info.FromString(output.p4info_binary)
    return p4r.ForwardingPipelineConfig(p4info=info, p4_device_config=output.json.encode())


@pytest.fixture(scope="module")
def ids(tofino: p4r.ForwardingPipelineConfig) -> Callable[[str], int]:
    """Ids by the ends of names."""
    info = standard(tofino.p4info)
    objects: list[Any] = [instance for extern in info.externs for instance in extern.instances]
    for kind in ("tables", "actions", "action_profiles", "registers", "value_sets", "digests"):
        objects += getattr(info, kind)

    def find(name: str) -> int:
        (found,) = [each.preamble.id for each in objects if each.preamble.name.endswith(f".{name}")]
        return int(found)

    return find


@pytest.fixture
def stream(client: Any, tofino: p4r.ForwardingPipelineConfig) -> Any:
    stream = client.become_primary()
    client.set_config(tofino)
    return stream


@pytest.fixture
def send(stream: Any) -> Callable[..., Result]:
    """Sends a packet, and gives what comes to the CPU."""

    def send(value: int = 0, kind: int = 0) -> Result:
        payload = struct.pack("!BBI", kind, INDEX[0], value)
        stream.send(p4r.StreamMessageRequest(packet=p4r.PacketOut(payload=payload)))
        return Result(*struct.unpack("!IIBBBB", stream.receive("packet").payload))

    return send


@pytest.fixture
def entry(ids: Callable[[str], int], match: SimpleNamespace) -> Callable[..., p4r.TableEntry]:
    """Makes entries for the index that packets have."""

    def make(table: str, action: str | None = None, **fields: Any) -> p4r.TableEntry:
        key, priority = match.exact(INDEX), 0
        if table == "limited":
            key, priority = match.ternary(INDEX, b"\xff"), 7
        made = p4r.TableEntry(table_id=ids(table), match=[key], priority=priority, **fields)
        if action is not None:
            made.action.action.action_id = ids(action)
        return made

    return make


def cell(register: int, data: p4d.P4Data | None = None) -> p4r.RegisterEntry:
    return p4r.RegisterEntry(register_id=register, index=p4r.Index(index=INDEX[0]), data=data)


def test_registers(client: Any, ids: Callable[[str], int], send: Callable[..., Result]) -> None:
    totals, pairs = ids("totals"), ids("pairs")
    assert send(0x1234).total == 105
    assert client.read(register_entry=cell(totals)) == [cell(totals, p4d.P4Data(bitstring=b"\x69"))]
    (found,) = client.read(register_entry=cell(pairs))
    assert [member.bitstring for member in found.data.struct.members] == [b"\x12\x34", b"\1"]
    client.modify(register_entry=cell(totals, p4d.P4Data(bitstring=b"\1")))
    assert send().total == 101
    every = client.read(register_entry=p4r.RegisterEntry(register_id=totals))
    assert len(every) == 256
    assert {each.data.bitstring for each in every} == {b"\5", b"\x65"}


def test_a_parameter_is_a_register_of_one_cell(
    client: Any, ids: Callable[[str], int], send: Callable[..., Result]
) -> None:
    (found,) = client.read(register_entry=p4r.RegisterEntry(register_id=ids("step")))
    assert (found.index.index, found.data.bitstring) == (0, b"\x64")
    found.data.bitstring = b"\2"
    client.modify(register_entry=found)
    assert send().total == 7
    found.index.index = 1
    update = p4r.Update(type=p4r.Update.MODIFY, entity=p4r.Entity(register_entry=found))
    assert client.refusal(update) == Code.OUT_OF_RANGE


def test_a_new_config_keeps_cells_of_0(
    client: Any, ids: Callable[[str], int], send: Callable[..., Result], tofino: p4r.ForwardingPipelineConfig
) -> None:
    for register in (ids("totals"), ids("step")):
        client.modify(register_entry=p4r.RegisterEntry(register_id=register, data=p4d.P4Data(bitstring=b"\0")))
    client.set_config(tofino, RECONCILE)
    assert send().total == 0


def test_value_sets(
    client: Any, ids: Callable[[str], int], send: Callable[..., Result], match: SimpleNamespace
) -> None:
    members = [p4r.ValueSetMember(match=[match.exact(b"\x08")])]
    written = p4r.ValueSetEntry(value_set_id=ids("kinds"), members=members)
    assert send(kind=8).marked == 0
    client.modify(value_set_entry=written)
    assert client.read(value_set_entry=p4r.ValueSetEntry(value_set_id=ids("kinds"))) == [written]
    assert send(kind=8).marked == 1
    assert send(kind=9).marked == 0


def member(profile: int, number: int, action: int) -> p4r.ActionProfileMember:
    """A member whose parameter is its number."""
    made = p4r.ActionProfileMember(action_profile_id=profile, member_id=number)
    made.action.action_id = action
    made.action.params.add(param_id=1, value=bytes([number]))
    return made


def test_action_profiles(
    client: Any, ids: Callable[[str], int], send: Callable[..., Result], entry: Callable[..., p4r.TableEntry]
) -> None:
    client.insert(action_profile_member=member(ids("plain"), 4, ids("take")))
    taken = entry("taken")
    taken.action.action_profile_member_id = 4
    client.insert(table_entry=taken)
    assert send().member == 4
    changed = member(ids("plain"), 4, ids("take"))
    changed.action.params[0].value = b"\x09"
    client.modify(action_profile_member=changed)
    assert send().member == 9
    group = p4r.ActionProfileGroup(action_profile_id=ids("plain"), group_id=1)
    update = p4r.Update(type=p4r.Update.INSERT, entity=p4r.Entity(action_profile_group=group))
    assert client.refusal(update) == Code.INVALID_ARGUMENT


def test_selectors(
    client: Any, ids: Callable[[str], int], send: Callable[..., Result], entry: Callable[..., p4r.TableEntry]
) -> None:
    # P4Runtime has the selector and its profile in one object, which is the profile.
    ways = ids("ways")
    wanted = p4r.ActionProfileGroup(action_profile_id=ways, group_id=1, max_size=8)
    for number in (1, 2, 3):
        client.insert(action_profile_member=member(ways, number, ids("choose")))
        wanted.members.add(member_id=number, weight=1, watch_port=bytes([number]))
    client.insert(action_profile_group=wanted)
    assert client.read(action_profile_group=p4r.ActionProfileGroup(action_profile_id=ways)) == [wanted]
    chosen = entry("chosen")
    chosen.action.action_profile_group_id = 1
    client.insert(table_entry=chosen)
    assert {send(value).way for value in range(32)} == {1, 2, 3}
    del wanted.members[1]
    client.modify(action_profile_group=wanted)
    assert {send(value).way for value in range(32)} == {1, 3}
    (found,) = client.read(table_entry=entry("chosen"))
    assert found.action.action_profile_group_id == 1
    wanted.members[0].watch_port = b"\x02\x00"
    update = p4r.Update(type=p4r.Update.MODIFY, entity=p4r.Entity(action_profile_group=wanted))
    assert client.refusal(update) != Code.OK


def test_digests(client: Any, stream: Any, ids: Callable[[str], int]) -> None:
    config = p4r.DigestEntry.Config(max_list_size=1)
    client.insert(digest_entry=p4r.DigestEntry(digest_id=ids("seen"), config=config))
    stream.send(p4r.StreamMessageRequest(packet=p4r.PacketOut(payload=bytes([LEARN, *INDEX, 0, 0, 0, 0]))))
    digest = stream.receive("digest")
    assert digest.digest_id == ids("seen")
    (seen,) = digest.data
    assert [each.bitstring for each in seen.struct.members] == [INDEX, CPU_PORT.to_bytes(2, "big")]


def test_idle_timeouts(
    client: Any, stream: Any, ids: Callable[[str], int], entry: Callable[..., p4r.TableEntry]
) -> None:
    client.insert(table_entry=entry("sources", "known", idle_timeout_ns=100_000_000))
    (idle,) = stream.receive("idle_timeout_notification").table_entry
    assert (idle.table_id, idle.match[0].exact.value) == (ids("sources"), INDEX)


LPF = {"type": "RATE", "gain_time_constant_ns": 1e9, "decay_time_constant_ns": 1e9, "out_scale_down_factor": 4}
WRED = {"time_constant_ns": 1.0, "min_thresh": 0, "max_thresh": 1, "max_probability": 1.0}


@pytest.fixture
def extern(tofino: p4r.ForwardingPipelineConfig) -> Callable[..., p4r.ExternEntry]:
    """Makes entries of the one extern of a type."""

    def make(kind: str, fields: dict[str, Any] | None = None) -> p4r.ExternEntry:
        (found,) = [each for each in tofino.p4info.externs if each.extern_type_name == kind]
        (instance,) = found.instances
        return extern_entry(found.extern_type_id, instance.preamble.id, fields)

    return make


@pytest.mark.parametrize(
    ("kind", "table", "action", "settings"),
    [("DirectLpf", "smoothed", "smooth", LPF), ("DirectWred", "limited", "drop_early", WRED)],
)
def test_a_direct_filter_belongs_to_an_entry(
    client: Any,
    send: Callable[..., Result],
    tofino: p4r.ForwardingPipelineConfig,
    entry: Callable[..., p4r.TableEntry],
    extern: Callable[..., p4r.ExternEntry],
    kind: str,
    table: str,
    action: str,
    settings: dict[str, Any],
) -> None:
    key = MessageToDict(entry(table))
    assert client.read(extern_entry=extern(kind)) == []
    client.insert(table_entry=entry(table, action))
    as_read = MessageToDict(entry(table), preserving_proto_field_name=True)
    (found,) = client.read(extern_entry=extern(kind))
    assert fields_of(found) == {"table_entry": as_read}
    client.modify(extern_entry=extern(kind, {"table_entry": key, **settings}))
    if kind == "DirectWred":
        assert (send(0).dropped, send(1 << 31).dropped) == (0, 1)
    client.set_config(tofino, RECONCILE)
    for wanted in (extern(kind), extern(kind, {"table_entry": key})):
        (found,) = client.read(extern_entry=wanted)
        assert fields_of(found) == {"table_entry": as_read, **settings}
    client.delete(table_entry=entry(table))
    assert client.read(extern_entry=extern(kind)) == []
    assert client.code(lambda: client.read(extern_entry=extern(kind, {"table_entry": key}))) == Code.NOT_FOUND


@pytest.mark.parametrize(
    ("place", "code"),
    [
        (None, Code.INVALID_ARGUMENT),
        (3, Code.INVALID_ARGUMENT),
        ({}, Code.INVALID_ARGUMENT),
        ({"nothing": 1}, Code.INVALID_ARGUMENT),
        ({"tableId": 1.5}, Code.INVALID_ARGUMENT),
        ({"tableId": 1}, Code.INVALID_ARGUMENT),
        ({"match": [{"fieldId": 1, "exact": {"value": "Aw=="}}], "priority": 1}, Code.INVALID_ARGUMENT),
        ({"match": [{"fieldId": 1, "exact": {"value": "Aw=="}}], "isDefaultAction": True}, Code.INVALID_ARGUMENT),
        ({"match": [{"fieldId": 1, "exact": {"value": 5}}]}, Code.INVALID_ARGUMENT),
        ({"match": [{"fieldId": 1, "exact": {"value": "Aw=="}}]}, Code.NOT_FOUND),
    ],
)
def test_a_direct_filter_without_its_entry_is_refused(
    client: Any, stream: Any, extern: Callable[..., p4r.ExternEntry], place: Any, code: Code
) -> None:
    fields = LPF if place is None else {"table_entry": place, **LPF}
    entity = p4r.Entity(extern_entry=extern("DirectLpf", fields))
    assert client.refusal(p4r.Update(type=p4r.Update.MODIFY, entity=entity)) == code
