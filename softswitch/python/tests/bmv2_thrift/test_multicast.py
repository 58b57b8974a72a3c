# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Multicast groups, their nodes and mirroring sessions by Thrift, beside P4Runtime that changes them too."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
from bm_runtime.simple_pre import SimplePre
from bm_runtime.simple_pre import ttypes as simple_pre
from bm_runtime.simple_pre_lag.ttypes import InvalidMcOperation, McOperationErrorCode
from quench_switch.bmv2_thrift import replication
from quench_switch.bmv2_thrift.listener import ThriftListener
from quench_switch.bmv2_thrift.replication import MAX_FOLLOWING, REPLICA_BYTES
from quench_switch.p4runtime.device import Device
from sswitch_runtime.ttypes import InvalidMirroringOperation, MirroringSessionConfig
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.protocol.TMultiplexedProtocol import TMultiplexedProtocol
from thrift.Thrift import TApplicationException
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TBufferedTransport


def sessions(device: Device) -> dict[int, list[tuple[int, int]]]:
    return {number: replicas for number, replicas, _, _ in device.switch.clone_sessions()}


def group_of_node(clients: SimpleNamespace, group: int, rid: int, ports: str) -> int:
    """Makes a group of one node, whose handle it returns."""
    api = clients.multicast
    node: int = api.bm_mc_node_create(0, rid, ports, "")
    api.bm_mc_node_associate(0, api.bm_mc_mgrp_create(0, group), node)
    return node


def test_multicast_groups_of_nodes(clients: SimpleNamespace, device: Device) -> None:
    api = clients.multicast
    group = api.bm_mc_mgrp_create(0, 5)
    node = api.bm_mc_node_create(0, 7, "110", "")
    other = api.bm_mc_node_create(0, 8, "1000", "")
    api.bm_mc_node_associate(0, group, node)
    api.bm_mc_node_associate(0, group, other)
    assert device.switch.multicast_groups() == [(5, [(1, 7), (2, 7), (3, 8)])]
    api.bm_mc_node_update(0, node, "1", "")
    api.bm_mc_node_dissociate(0, group, other)
    assert device.switch.multicast_groups() == [(5, [(0, 7)])]
    dump = json.loads(api.bm_mc_get_entries(0))
    assert dump["mgrps"] == [{"id": 5, "l1_handles": [node]}]
    assert [each["ports"] for each in dump["l2_handles"]] == [[0], [3]]
    api.bm_mc_node_destroy(0, node)
    assert device.switch.multicast_groups() == [(5, [])]
    # As with BMv2, a group that is there already stays as it is, and one that is gone may go.
    assert api.bm_mc_mgrp_create(0, 5) == group
    api.bm_mc_mgrp_destroy(0, group)
    api.bm_mc_mgrp_destroy(0, group)
    assert device.switch.multicast_groups() == []
    for call in (
        lambda: api.bm_mc_mgrp_create(0, 0),
        lambda: api.bm_mc_mgrp_create(0, 70_000),
        lambda: api.bm_mc_node_update(0, node, "1", ""),
        lambda: api.bm_mc_node_create(0, 1, "1", "1"),
        lambda: api.bm_mc_node_create(0, 1, "12", ""),
        lambda: api.bm_mc_set_lag_membership(0, 1, "1"),
    ):
        with pytest.raises(InvalidMcOperation):
            call()


def test_there_are_so_many_nodes(clients: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replication, "MAX_NODES", 1)
    clients.multicast.bm_mc_node_create(0, 1, "1", "")
    with pytest.raises(InvalidMcOperation) as error:
        clients.multicast.bm_mc_node_create(0, 1, "1", "")
    assert error.value.code == McOperationErrorCode.TABLE_FULL


def test_groups_of_p4runtime_appear_and_go(clients: SimpleNamespace, device: Device) -> None:
    device.switch.multicast_group_set(3, [(1, 0), (2, 4)])
    dump = json.loads(clients.multicast.bm_mc_get_entries(0))
    assert [group["id"] for group in dump["mgrps"]] == [3]
    assert {(node["rid"], node["handle"]) for node in dump["l1_handles"]} == {(0, 0), (4, 1)}
    device.switch.multicast_group_delete(3)
    assert json.loads(clients.multicast.bm_mc_get_entries(0))["mgrps"] == []


def test_mirroring_to_a_port_and_to_a_group(clients: SimpleNamespace, device: Device) -> None:
    api = clients.target
    api.mirroring_session_add(5, MirroringSessionConfig(port=3))
    assert api.mirroring_session_get(5) == MirroringSessionConfig(port=3)
    group, node = clients.multicast.bm_mc_mgrp_create(0, 9), clients.multicast.bm_mc_node_create(0, 1, "11", "")
    api.mirroring_session_add(6, MirroringSessionConfig(mgid=9))
    clients.multicast.bm_mc_node_associate(0, group, node)
    sessions = {number: replicas for number, replicas, _, _ in device.switch.clone_sessions()}
    assert sessions == {5: [(3, 0)], 6: [(0, 1), (1, 1)]}
    api.mirroring_session_delete(5)
    with pytest.raises(InvalidMirroringOperation):
        api.mirroring_session_get(5)
    with pytest.raises(InvalidMirroringOperation):
        api.mirroring_session_delete(5)


def test_groups_of_p4runtime_leave_no_nodes_behind(clients: SimpleNamespace, device: Device) -> None:
    for round_number in range(5):
        for group in (1, 2):
            replicas = [(port, 10 * round_number + port % 2) for port in range(6)]
            device.switch.multicast_group_set(group, replicas)
        found = json.loads(clients.multicast.bm_mc_get_entries(0))
        assert sorted(node["handle"] for node in found["l1_handles"]) == [0, 1, 2, 3]
    for group in (1, 2):
        device.switch.multicast_group_delete(group)
    assert json.loads(clients.multicast.bm_mc_get_entries(0))["l1_handles"] == []


def test_a_group_has_so_many_replicas_at_most(clients: SimpleNamespace, device: Device) -> None:
    api = clients.multicast
    api.bm_mc_mgrp_create(0, 5)
    ports = "1" * 512
    for rid in range(2):
        api.bm_mc_node_associate(0, 5, api.bm_mc_node_create(0, rid, ports, ""))
    with pytest.raises(InvalidMcOperation):
        api.bm_mc_node_associate(0, 5, api.bm_mc_node_create(0, 2, ports, ""))
    assert len(device.switch.multicast_groups()[0][1]) == 1024


def test_the_older_service_of_multicast_has_its_own_errors(server: ThriftListener) -> None:
    transport = TBufferedTransport(TSocket("127.0.0.1", server.port))
    transport.open()
    api = SimplePre.Client(TMultiplexedProtocol(TBinaryProtocol(transport), "simple_pre"))
    with pytest.raises(simple_pre.InvalidMcOperation):
        api.bm_mc_mgrp_create(0, -1)
    with pytest.raises(simple_pre.InvalidMcOperation):
        api.bm_mc_node_create(0, 1 << 16, "1")
    transport.close()


def test_a_node_is_in_one_group(clients: SimpleNamespace, device: Device) -> None:
    """A node is in one group on BMv2 too."""
    node = group_of_node(clients, 1, 7, "10")
    clients.multicast.bm_mc_mgrp_create(0, 2)
    with pytest.raises(InvalidMcOperation) as error:
        clients.multicast.bm_mc_node_associate(0, 2, node)
    assert error.value.code == McOperationErrorCode.ERROR
    # A group that P4Runtime deleted or changed has no node of a client's any more.
    for change in (lambda: device.switch.multicast_group_delete(1), lambda: device.switch.multicast_group_set(2, [])):
        change()
        clients.multicast.bm_mc_node_associate(0, 2, node)
        assert dict(device.switch.multicast_groups())[2] == [(1, 7)]


def test_so_many_sessions_follow_a_group(
    clients: SimpleNamespace, device: Device, caplog: pytest.LogCaptureFixture
) -> None:
    node = group_of_node(clients, 9, 1, "1")
    for number in range(MAX_FOLLOWING + 1):
        clients.target.mirroring_session_add(number, MirroringSessionConfig(port=3, mgid=9))
    # Once more: it follows already.
    clients.target.mirroring_session_add(0, MirroringSessionConfig(port=3, mgid=9))
    assert f"session {MAX_FOLLOWING}: {MAX_FOLLOWING} others follow group 9" in caplog.text
    clients.multicast.bm_mc_node_update(0, node, "10", "")
    assert sessions(device) == {number: [(3, 0), (1, 1)] for number in range(MAX_FOLLOWING)}
    clients.target.mirroring_session_delete(4)
    clients.target.mirroring_session_add(5, MirroringSessionConfig(port=6))
    for number in (MAX_FOLLOWING, MAX_FOLLOWING + 1):
        clients.target.mirroring_session_add(number, MirroringSessionConfig(mgid=9))
    assert sessions(device)[MAX_FOLLOWING + 1] == [(1, 1)]


def test_sessions_follow_what_p4runtime_does_to_their_group(clients: SimpleNamespace, device: Device) -> None:
    group_of_node(clients, 9, 1, "1")
    clients.target.mirroring_session_add(6, MirroringSessionConfig(mgid=9))
    device.switch.multicast_group_set(9, [(4, 2)])
    assert clients.target.mirroring_session_get(6) == MirroringSessionConfig(mgid=9)
    assert sessions(device) == {6: [(4, 2)]}
    device.switch.multicast_group_delete(9)
    clients.multicast.bm_mc_get_entries(0)
    assert sessions(device) == {6: []}
    group_of_node(clients, 9, 3, "1")
    assert sessions(device) == {6: [(0, 3)]}
    clients.multicast.bm_mc_mgrp_destroy(0, 9)
    assert sessions(device) == {6: []}


def test_a_session_that_p4runtime_changed_or_deleted_follows_no_longer(
    clients: SimpleNamespace, device: Device
) -> None:
    node = group_of_node(clients, 9, 1, "1")
    for number in (6, 7):
        clients.target.mirroring_session_add(number, MirroringSessionConfig(mgid=9))
    device.switch.clone_session_delete(6)
    device.switch.clone_session_set(7, [(5, 5)])
    assert clients.target.mirroring_session_get(7) == MirroringSessionConfig(port=5)
    clients.multicast.bm_mc_node_update(0, node, "10", "")
    assert sessions(device) == {7: [(5, 5)]}


def test_what_has_no_room_changes_nothing(
    clients: SimpleNamespace, device: Device, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    api = clients.multicast
    node = group_of_node(clients, 9, 1, "1")
    for number in range(3):
        clients.target.mirroring_session_add(number, MirroringSessionConfig(mgid=9))
    before_bytes = device.switch.state_bytes()
    # There is a byte less than the group and its sessions take.
    monkeypatch.setattr(device, "state_bytes", before_bytes + 4 * REPLICA_BYTES - 1)
    with pytest.raises(InvalidMcOperation) as error:
        api.bm_mc_node_update(0, node, "11", "")
    assert error.value.code == McOperationErrorCode.TABLE_FULL
    assert (device.switch.state_bytes(), sessions(device)) == (before_bytes, {each: [(0, 1)] for each in range(3)})
    assert json.loads(api.bm_mc_get_entries(0))["l2_handles"][node]["ports"] == [0]
    monkeypatch.setattr(device, "state_bytes", before_bytes + 4 * REPLICA_BYTES)
    api.bm_mc_node_update(0, node, "11", "")
    # The limit is P4Runtime's because the memory is counted as the data plane counts it.
    assert device.switch.state_bytes() == before_bytes + 4 * REPLICA_BYTES
    # P4Runtime's own changes of a group find room for a part of its sessions.
    device.switch.multicast_group_set(9, [(port, 1) for port in range(4)])
    monkeypatch.setattr(device, "state_bytes", device.switch.state_bytes() + 2 * REPLICA_BYTES)
    api.bm_mc_get_entries(0)
    assert sorted(map(len, sessions(device).values())) == [2, 2, 4]
    assert "session 1 follows group 9 no longer: there is no room for it" in caplog.text


def test_nodes_that_are_read_are_limited(
    clients: SimpleNamespace, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And those of P4Runtime's groups leave room for those of clients."""
    monkeypatch.setattr(replication, "MAX_READ", 5)
    monkeypatch.setattr(replication, "MAX_NODES", 2)
    for group in (1, 2):
        device.switch.multicast_group_set(group, [(0, rid) for rid in range(3)])
    with pytest.raises(TApplicationException, match="more than 5 nodes: read the groups by P4Runtime"):
        clients.multicast.bm_mc_get_entries(0)
    for _ in range(2):
        clients.multicast.bm_mc_node_create(0, 1, "1", "")
    # A node that a client takes out of P4Runtime's group is a client's.
    for call in (
        lambda: clients.multicast.bm_mc_node_create(0, 1, "1", ""),
        lambda: clients.multicast.bm_mc_node_dissociate(0, 1, 0),
    ):
        with pytest.raises(InvalidMcOperation) as error:
            call()
        assert error.value.code == McOperationErrorCode.TABLE_FULL
