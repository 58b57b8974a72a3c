# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The devices between the hosts: the plainest forwarder, the kernel's bridge, the switch in its variants, BMv2.

A further variant of the switch is a further line of ``devices``, or ``--arguments`` of wire.py.
"""

import os
import shutil
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import yaml
from quench.errors import ControllerError
from quench.service.protocol import ControlClient
from quench_switch._native import compile_p4
from quench_switch.ports_client import PortsClient
from quench_topologies.bmv2 import PROGRAM as BMV2
from quench_topologies.process import Child, wait_for_line
from quench_topologies.program import find_quench
from quench_topologies.soak.accounting import DROPS, RECEIVED_NOT, SENT_NOT
from script import REPOSITORY
from wire_ends import Ends, Role
from wire_network import Network, Pair, run

QUENCH = REPOSITORY / "build" / "quench.json"
FORWARD = Path(__file__).with_name("forward.p4")
ADDRESS = "127.0.0.1:9559"
THRIFT_PORT = "9090"
READY_S = 30.0
PROFILE: Mapping[str, Any] = {"scheme": "ecn", "minth": "300KB", "maxth": "900KB"}
NOMINAL_RATE = "10Gbps"
"""The rate that the profile's decay is computed for; the port itself has none."""


class Running(Protocol):
    """A device that forwards."""

    pids: Collection[int]
    """Its processes; a bridge has none."""

    def dropped(self) -> int | None:
        """The packets that it has dropped and counted until now; None: it does not count them."""


class Device(Protocol):
    """A device that can be started."""

    @property
    def name(self) -> str:
        """Its name in tables."""

    def running(self, network: Network, cores: Sequence[int], folder: Path) -> Any:
        """A context in which it runs on these cores."""


class _Process:
    def __init__(self, pids: Collection[int]) -> None:
        self.pids = pids

    def dropped(self) -> int | None:
        return None


class _Forwarders(_Process):
    def __init__(self, roles: Sequence[Role]) -> None:
        super().__init__([role.pid for role in roles])
        self._roles = roles

    def dropped(self) -> int:
        return sum(
            counts[name] for role in self._roles for counts in (role.counts(),) for name in ("refused", "overruns")
        )


@dataclass(frozen=True, slots=True)
class Forwarder:
    """recvmmsg to sendmmsg, a process for each pair of ports."""

    name: str = "forwarder"

    @contextmanager
    def running(self, network: Network, cores: Sequence[int], _folder: Path) -> Iterator[Running]:
        """See Device."""
        ends = Ends()
        with ExitStack() as stack:
            roles = []
            for pair in network.pairs:
                a, b = pair.interfaces
                core = [cores[pair.number % len(cores)]]
                roles.append(stack.enter_context(ends.serving([], core, "forward", a=a, b=b)))
            yield _Forwarders(roles)


@dataclass(frozen=True, slots=True)
class Bridge:
    """The kernel's bridge; it forwards in the sender's own time."""

    name: str = "kernel bridge"

    @contextmanager
    def running(self, network: Network, _cores: Sequence[int], _folder: Path) -> Iterator[Running]:
        """See Device."""
        made = []
        try:
            for pair in network.pairs:
                bridge = f"bridge{pair.number}"
                run("ip", "link", "add", bridge, "type", "bridge", "mcast_snooping", "0")
                made.append(bridge)
                run("sysctl", "-qw", f"net.ipv6.conf.{bridge}.disable_ipv6=1")
                for interface in pair.interfaces:
                    run("ip", "link", "set", interface, "master", bridge)
                run("bridge", "fdb", "add", pair.sink_mac, "dev", pair.interfaces[1], "master", "static")
                run("ip", "link", "set", bridge, "up")
            yield _Bridged(network)
        finally:
            for bridge in made:
                run("ip", "link", "del", bridge)


class _Bridged(_Process):
    def __init__(self, network: Network) -> None:
        super().__init__([])
        self._network = network

    def dropped(self) -> int:
        return self._network.dropped_pkts()


class _Switch(_Process):
    def __init__(self, pid: int, address: str) -> None:
        super().__init__([pid])
        self._address = address

    def dropped(self) -> int:
        with PortsClient(self._address) as client:
            counts = client.stats()["switch"]
        return sum(counts[name] for name in (*RECEIVED_NOT, *DROPS, *SENT_NOT))


@dataclass(frozen=True, slots=True)
class Switch:
    """`quench switch` with a program; Quench's has routes, and on request a profile for the right ports."""

    name: str
    quench: bool = True
    """Whether it runs Quench's program, or the one that only forwards."""
    profile: bool = False
    arguments: tuple[str, ...] = field(default=())

    @contextmanager
    def running(self, network: Network, cores: Sequence[int], folder: Path) -> Iterator[Running]:
        """See Device."""
        program, info = _quench_program() if self.quench else _forward_program(folder)
        ready, write_end = os.pipe()
        command = [*_on(cores), str(find_quench()), "switch", str(program), "--p4info", str(info), "--device-id", "1"]
        command += ["--grpc-server-addr", ADDRESS, "--cpu-port", "510", "--ready-fd", str(write_end)]
        command += ["--log-level", "warn", *self.arguments]
        for pair in network.pairs:
            for port, interface in zip(pair.ports, pair.interfaces, strict=True):
                command += ["-i", f"{port}@{interface}"]
        try:
            child = Child("switch", command, folder / "switch.log", (write_end,))
        finally:
            os.close(write_end)
        try:
            address = wait_for_line(ready, child, READY_S)
            if self.quench:
                _program(network, program, info, folder, profile=self.profile)
            yield _Switch(child.pid, address)
            child.check()
        finally:
            child.stop()


@dataclass(frozen=True, slots=True)
class ReferenceSwitch:
    """simple_switch_grpc with Quench's program."""

    name: str = "simple_switch_grpc"

    @contextmanager
    def running(self, network: Network, cores: Sequence[int], folder: Path) -> Iterator[Running]:
        """See Device."""
        program, info = _quench_program()
        command = [*_on(cores), BMV2, "--no-p4", "--device-id", "1", "--thrift-port", THRIFT_PORT]
        command += ["--log-console", "-L", "off"]
        for pair in network.pairs:
            for port, interface in zip(pair.ports, pair.interfaces, strict=True):
                command += ["-i", f"{port}@{interface}"]
        command += ["--", "--grpc-server-addr", ADDRESS, "--cpu-port", "510"]
        child = Child("simple_switch_grpc", command, folder / "bmv2.log")
        try:
            _program(network, program, info, folder, profile=False)
            yield _Process([child.pid])
            child.check()
        finally:
            child.stop()


def devices(arguments: Sequence[str]) -> list[Device]:
    """All that this machine has. Each of ``arguments``, such as "--threads 2", adds the switch's variants with it."""
    found: list[Device] = [Forwarder(), Bridge()]
    for more in ("", *arguments):
        suffix = f" {more}" if more else ""
        words = tuple(more.split())
        found += [
            Switch(f"quench.p4{suffix}", arguments=words),
            Switch(f"quench.p4, profile{suffix}", profile=True, arguments=words),
            Switch(f"forward.p4{suffix}", quench=False, arguments=words),
        ]
    if shutil.which(BMV2):
        found.append(ReferenceSwitch())
    return found


def _on(cores: Sequence[int]) -> list[str]:
    return ["taskset", "--cpu-list", ",".join(map(str, cores))]


def _quench_program() -> tuple[Path, Path]:
    return QUENCH, QUENCH.with_suffix(".p4info.txtpb")


def _forward_program(folder: Path) -> tuple[Path, Path]:
    compiled = compile_p4(str(FORWARD))
    program, info = folder / "forward.json", folder / "forward.p4info.bin"
    program.write_text(compiled.json)
    info.write_bytes(compiled.p4info_binary)
    return program, info


def _program(network: Network, program: Path, info: Path, folder: Path, *, profile: bool) -> None:
    """Let a controller write the entries, and end it: the bench is the switch's. Raises RuntimeError."""
    right = {pair.ports[1]: {"rate": NOMINAL_RATE, "profile": dict(PROFILE)} for pair in network.pairs}
    switch = {
        "name": "s1",
        "address": ADDRESS,
        "device_id": 1,
        "pipeline": {"p4info": str(info), "json": str(program)},
        "router_address": "10.255.0.1",
        "routes": [route for pair in network.pairs for route in _routes(pair)],
        **({"ports": right} if profile else {}),
    }
    socket, config = folder / "controller.sock", folder / "controller.yaml"
    config.write_text(yaml.safe_dump({"switches": [switch], "isq": {"mode": "off"}, "socket": str(socket)}))
    controller = Child("controller", [str(find_quench()), "controller", "run", str(config)], folder / "controller.log")
    try:
        deadline = time.monotonic() + READY_S
        while not _is_programmed(socket):
            controller.check()
            if time.monotonic() > deadline:
                raise RuntimeError(f"the switch is not programmed: {controller.last_words()}")
            time.sleep(0.05)
    finally:
        controller.stop()


def _is_programmed(socket: Path) -> bool:
    try:
        return all(ControlClient(socket).call("ping").values())
    except ControllerError:
        return False


def _routes(pair: Pair) -> list[dict[str, Any]]:
    rows = (
        (pair.address(0), 0, pair.mac(0)),
        (pair.address(1), 1, pair.mac(1)),
        (pair.sink, 1, pair.sink_mac),
    )
    return [
        {
            "prefix": f"{address.rpartition('.')[0]}.0/24",
            "port": pair.ports[side],
            "source_mac": f"02:00:00:{pair.number:02x}:{side + 1:02x}:01",
            "destination_mac": mac,
        }
        for address, side, mac in rows
    ]


def processor_s(pids: Collection[int]) -> float:
    """The processor time that all threads of these processes have had."""
    total_ns = 0
    for pid in pids:
        for task in Path(f"/proc/{pid}/task").iterdir():
            total_ns += int((task / "schedstat").read_text().split()[0])
    return total_ns / 1e9
