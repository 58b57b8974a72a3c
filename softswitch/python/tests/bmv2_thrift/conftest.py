# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A data plane without interfaces behind the Thrift services, and the stock clients."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from bm_runtime.simple_pre_lag import SimplePreLAG
from bm_runtime.standard import Standard
from finsy.proto import p4i, p4r
from quench_switch._native import RealtimeSwitch, compile_p4
from quench_switch.bmv2_thrift.attaching import Attaching
from quench_switch.bmv2_thrift.listener import ThriftListener, Users
from quench_switch.bmv2_thrift.priority_queues import Client
from quench_switch.bmv2_thrift.start import bind
from quench_switch.p4runtime.device import Device
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.protocol.TMultiplexedProtocol import TMultiplexedProtocol
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TBufferedTransport

OBJECTS = Path(__file__).parents[1] / "native/programs/objects.p4"
PRIORITY_QUEUES = 4


@pytest.fixture(scope="session")
def config() -> p4r.ForwardingPipelineConfig:
    compiled = compile_p4(str(OBJECTS))
    info = p4i.P4Info.FromString(compiled.p4info_binary)
    return p4r.ForwardingPipelineConfig(p4info=info, p4_device_config=compiled.json.encode())


@pytest.fixture
def device(config: p4r.ForwardingPipelineConfig) -> Iterator[Device]:
    switch = RealtimeSwitch(priority_queues=PRIORITY_QUEUES)
    switch.port_set(1, {"queues": PRIORITY_QUEUES})
    device = Device(switch, None)
    device.load(config)
    yield device
    switch.stop()


@pytest.fixture
def captures(tmp_path: Path) -> Path:
    folder = tmp_path / "captures"
    folder.mkdir()
    return folder


@pytest.fixture
def server(device: Device, captures: Path) -> Iterator[ThriftListener]:
    listener = bind(
        "127.0.0.1:0",
        device,
        device.switch,
        device_id=7,
        attaching=Attaching({1: "none"}, ("no-such-*",), captures),
        users=Users(),
        priority_queues=PRIORITY_QUEUES,
    )
    listener.start()
    yield listener
    listener.stop()


@pytest.fixture
def clients(server: ThriftListener) -> Iterator[SimpleNamespace]:
    transport = TBufferedTransport(TSocket("127.0.0.1", server.port))
    protocol = TBinaryProtocol(transport)

    def client(kind: type, service: str) -> object:
        return kind(TMultiplexedProtocol(protocol, service))

    transport.open()
    yield SimpleNamespace(
        standard=client(Standard.Client, "standard"),
        multicast=client(SimplePreLAG.Client, "simple_pre_lag"),
        target=client(Client, "simple_switch"),
        transport=transport,
    )
    transport.close()
