# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The controllers that may change queues and links."""

import pytest
from finsy import GRPCStatusCode as Code
from quench_switch.ports_client import PortsClient, PortsError

BIG = (7 << 64) + 3


@pytest.fixture
def ports(server):
    server.switch.port_set(1, {})
    with PortsClient(server.address) as client:
        yield client


def refused_with(client, method, fields):
    """The refusal of a request that is made without the client class."""
    with pytest.raises(PortsError) as caught:
        client._call(method, fields)
    return Code.from_status_code(caught.value.__cause__.code())


def test_without_a_primary_ports_can_be_set_by_hand(ports):
    assert ports._call("Set", {"port": 1, "rate_pps": 7})["ports"][0]["rate_pps"] == 7
    ports._call("ResetStats", {"port": 1})
    assert ports._call("Primary", {}) == {"device_id": "1"}


@pytest.mark.parametrize("method", ["Set", "ResetStats"])
def test_with_a_primary_only_its_election_id_changes_ports(client, ports, method):
    client.become_primary(BIG)
    request = {"port": 1}
    assert refused_with(ports, method, request) == Code.PERMISSION_DENIED
    assert refused_with(ports, method, request | {"election_id": str(BIG - 1)}) == Code.PERMISSION_DENIED
    assert refused_with(ports, method, request | {"election_id": 3}) == Code.PERMISSION_DENIED
    ports._call(method, request | {"election_id": str(BIG), "device_id": "1"})
    assert refused_with(ports, method, request | {"election_id": str(BIG), "device_id": 2}) == Code.NOT_FOUND
    assert refused_with(ports, method, request | {"election_id": str(BIG), "role": "x"}) == Code.NOT_FOUND
    for wrong in ("", "1 ", "-1", "x", "9" * 40, str(1 << 128), 0.5, -1, True, None, [1]):
        assert refused_with(ports, method, request | {"election_id": wrong}) == Code.INVALID_ARGUMENT, wrong


def test_a_role_that_nobody_has_is_no_way_around_the_primary(client, ports):
    stream = client.stream()
    stream.arbitrate(4, role="other")
    assert stream.receive("arbitration").status.code == Code.OK
    assert refused_with(ports, "Set", {"port": 1}) == Code.PERMISSION_DENIED
    assert refused_with(ports, "Set", {"port": 1, "role": "none"}) == Code.NOT_FOUND
    ports._call("Set", {"port": 1, "role": "other", "election_id": "4"})


def test_a_former_primary_changes_nothing(client, ports, server):
    client.become_primary(4)
    with PortsClient(server.address, election_id=4) as former:
        former.set(1, rate_pps=5)
        client.become_primary(5)
        with pytest.raises(PortsError, match="election_id"):
            former.set(1, rate_pps=6)
    assert ports.get(1)["rate_pps"] == 5


def test_the_client_acts_for_the_primary_by_default(client, ports):
    client.become_primary(BIG)
    assert ports.set(1, hold=True)["hold"] is True
    ports.reset_stats()
