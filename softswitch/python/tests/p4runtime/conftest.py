# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A P4Runtime server on a real data plane without interfaces, and a client. Helpers are in `p4runtime_lab`."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from finsy.proto import p4i, p4r
from google.protobuf import text_format
from quench_switch._native import RealtimeSwitch, compile_p4
from quench_switch.p4runtime.grpc_server import GrpcServer
from quench_switch.p4runtime.server import P4RuntimeServer
from quench_switch.ports import PortsServer

sys.path.insert(0, str(Path(__file__).parent))

from p4runtime_lab import (
    CPU_PORT,
    DEVICE_ID,
    PROGRAMS,
    START_TIMEOUT_S,
    TIMEOUT_S,
    Client,
    Names,
    exact,
    lpm,
    optional,
    ternary,
    value_range,
)


@pytest.fixture(scope="session")
def match() -> SimpleNamespace:
    """Makers of ``FieldMatch``."""
    return SimpleNamespace(exact=exact, lpm=lpm, ternary=ternary, optional=optional, range=value_range)


@pytest.fixture(scope="session")
def config() -> p4r.ForwardingPipelineConfig:
    """The program with one of everything, compiled."""
    output = compile_p4(str(PROGRAMS / "entities.p4"))
    info = text_format.Parse(output.p4info_text, p4i.P4Info())
    config = p4r.ForwardingPipelineConfig(p4info=info, p4_device_config=output.json.encode())
    config.cookie.cookie = 0xC00C1E
    return config


@pytest.fixture(scope="session")
def names(config: p4r.ForwardingPipelineConfig) -> Names:
    """Ids of the program."""
    return Names(config.p4info)


@pytest.fixture
def server() -> Iterator[SimpleNamespace]:
    """A running server without a program; ``address``, ``p4runtime``, ``switch``, ``grpc`` and ``loop``."""
    switch = RealtimeSwitch(device_id=DEVICE_ID, cpu_port=CPU_PORT)
    switch.start()
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def start() -> SimpleNamespace:
        grpc_part = GrpcServer()
        p4runtime = P4RuntimeServer(switch, device_id=DEVICE_ID, cpu_port=CPU_PORT)
        p4runtime.register(grpc_part)
        PortsServer(switch, p4runtime.counts, p4runtime.arbitration).register(grpc_part)
        address = grpc_part.listen("127.0.0.1:0")
        await grpc_part.start()
        p4runtime.start()
        return SimpleNamespace(address=address, p4runtime=p4runtime, switch=switch, grpc=grpc_part, loop=loop)

    running = asyncio.run_coroutine_threadsafe(start(), loop).result(TIMEOUT_S)
    yield running

    async def stop() -> None:
        await running.p4runtime.stop()
        await running.grpc.stop()

    asyncio.run_coroutine_threadsafe(stop(), loop).result(TIMEOUT_S)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(TIMEOUT_S)
    loop.close()
    switch.stop()


@pytest.fixture
def connect() -> Iterator[Callable[[str], Client]]:
    """Maker of clients of any address."""
    clients: list[Client] = []

    def make(address: str) -> Client:
        clients.append(Client(address))
        return clients[-1]

    yield make
    for client in clients:
        client.close()


@pytest.fixture
def client(server: SimpleNamespace) -> Iterator[Client]:
    """A client that has not spoken yet."""
    client = Client(server.address)
    yield client
    client.close()


@pytest.fixture
def primary(client: Client, config: p4r.ForwardingPipelineConfig) -> Client:
    """A client that is the primary (election id 1), with the program running."""
    client.become_primary()
    client.set_config(config)
    return client


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., tuple[subprocess.Popen[str], str]]]:
    """Starter of switches; returns the process and the address it listens on."""
    processes: list[subprocess.Popen[str]] = []

    def run(*args: str) -> tuple[subprocess.Popen[str], str]:
        ready = tmp_path / f"ready-{len(processes)}"
        command = [sys.executable, "-m", "quench_switch.cli.switch", "--device-id", "1"]
        command += ["--grpc-server-addr", "127.0.0.1:0", "--ready-file", str(ready), *args]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        processes.append(process)
        deadline = time.monotonic() + START_TIMEOUT_S
        while not ready.exists():
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline, "the switch is not ready"
            time.sleep(0.02)
        return process, ready.read_text().strip()

    yield run
    for process in processes:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=START_TIMEOUT_S)


@pytest.fixture
def files(tmp_path: Path, config: p4r.ForwardingPipelineConfig) -> tuple[Path, Path]:
    """The program's JSON and P4Info, as files."""
    info, blob = tmp_path / "p.p4info.txtpb", tmp_path / "p.json"
    info.write_text(text_format.MessageToString(config.p4info))
    blob.write_bytes(config.p4_device_config)
    return blob, info
