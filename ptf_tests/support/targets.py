# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The switches that the tests can run on, and how their ports are set."""

import shutil
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from quench.client.pipelines import PIPELINES
from quench.targets import Target

from support.network import PORTS, Namespace

DEVICE_ID = 1
QUEUES = 8
"""The number of queues of each port."""
THREADS = 4
"""The threads of ``quench switch``. Nearly all other tests have one, and what the program does is the same."""
SEED = 7
"""The seed of the embedded switch, unless another one is given."""
SLOWDOWN = 10_000
"""The slowdown of the clock of the chip that runs the TNA program: its filters keep an average for hours."""
START_TIMEOUT_S = 20.0


class TargetError(Exception):
    """The switch cannot be started on this machine."""


class Ports(Protocol):
    """The settings of a port, which are no part of P4Runtime."""

    def hold(self, port: int) -> None:
        """Send no more than one packet a second."""

    def follow(self, port: int) -> None:
        """Later packets wait behind those that are held, and leave right after them when the port is released."""

    def release(self, port: int) -> None:
        """Send without a limit again."""

    def slow(self, port: int) -> None:
        """Send one packet a second."""


class SwitchProcess(ABC):
    """A switch process in a namespace: started on entry, ended on exit."""

    def __init__(self, target: Target, namespace: Namespace, logs: Path, seed: int) -> None:
        self.target = target
        self.cpu_port = PIPELINES[target.architecture.arch].cpu_port
        self.namespace = namespace
        self.seed = seed
        self.grpc_address = "127.0.0.1:9559"
        self.ports_address = self.grpc_address
        self._logs = logs
        self._process: subprocess.Popen[bytes] | None = None

    @abstractmethod
    def command(self) -> list[str]:
        """The command line of the switch."""

    def __enter__(self) -> Self:
        command = self.command()
        with (self._logs / "switch.log").open("wb") as log:
            self._process = self.namespace.start(command, stdout=log, stderr=subprocess.STDOUT)
        try:
            self._wait()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def _wait(self) -> None:
        host, port = self.grpc_address.split(":")
        probe = f"import socket; socket.create_connection(('{host}', {port}), 1).close()"
        deadline = time.monotonic() + START_TIMEOUT_S
        while time.monotonic() < deadline:
            assert self._process is not None
            if self._process.poll() is not None:
                raise TargetError(f"the switch ended with {self._process.returncode}: see {self._logs}/switch.log")
            check = self.namespace.command([sys.executable, "-c", probe])
            if subprocess.run(check, check=False, capture_output=True).returncode == 0:
                return
            time.sleep(0.1)
        raise TargetError(f"the switch does not listen on {self.grpc_address} after {START_TIMEOUT_S:g} s")

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def _interfaces(self) -> list[str]:
        return [item for port in PORTS for item in ("-i", f"{port}@{self.namespace.switch_interface(port)}")]


class Embedded(SwitchProcess):
    """``quench switch``, whose clock is slow where programs see it."""

    def command(self) -> list[str]:
        """The command line of the switch."""
        return [
            *(str(Path(sys.executable).with_name("quench")), "switch", "--no-p4", "--device-id", str(DEVICE_ID)),
            *("--cpu-port", str(self.cpu_port), "--grpc-server-addr", self.grpc_address, "--seed", str(self.seed)),
            *("--priority-queues", str(QUEUES), "--threads", str(THREADS)),
            *self._interfaces(),
            *(("--slowdown", str(SLOWDOWN)) if self.target.architecture.has_clock else ()),
        ]


class Bmv2(SwitchProcess):
    """``simple_switch_grpc``."""

    def __init__(self, target: Target, namespace: Namespace, logs: Path, seed: int) -> None:
        super().__init__(target, namespace, logs, seed)
        self.ports_address = "9090"

    def command(self) -> list[str]:
        """The command line of the switch."""
        for program in ("simple_switch_grpc", "simple_switch_CLI"):
            if shutil.which(program) is None:
                raise TargetError(f"{program} is not installed: see docs/how-to/bmv2.md")
        return [
            *("simple_switch_grpc", "--no-p4", "--device-id", str(DEVICE_ID), "--thrift-port", self.ports_address),
            *self._interfaces(),
            *("--", "--grpc-server-addr", self.grpc_address, "--cpu-port", str(self.cpu_port)),
            *("--priority-queues", str(QUEUES)),
        ]


PROCESSES: dict[str, type[SwitchProcess]] = {"quench switch": Embedded, "simple_switch_grpc": Bmv2}
"""The class of each command."""


class EmbeddedPorts:
    """The ports of the embedded switch, by what sets the named options of a port."""

    def __init__(self, set_options: Callable[..., object]) -> None:
        self._set = set_options
        for port in PORTS:
            self._set(port, capacity_pkts=0, capacity_bytes=0, hold=False, rate_bps=0, rate_pps=0)

    def hold(self, port: int) -> None:
        """Send nothing."""
        self._set(port, hold=True)

    def follow(self, port: int) -> None:
        """Nothing to do: all packets that are held leave at once on release."""

    def release(self, port: int) -> None:
        """Send without a limit again."""
        self._set(port, hold=False, rate_pps=0)

    def slow(self, port: int) -> None:
        """Send one packet a second."""
        self._set(port, rate_pps=1)


class Bmv2Ports:
    """The ports of BMv2, set by Thrift. A new rate affects only later packets: BMv2 fixes departures at the enqueue."""

    FAST_PPS = 1_000_000

    def __init__(self, thrift_port: str) -> None:
        self._thrift_port = thrift_port
        for port in PORTS:
            self._command(f"set_queue_depth 100000 {port}")
            self.release(port)

    def _command(self, line: str) -> None:
        command = ["simple_switch_CLI", "--thrift-port", self._thrift_port]
        done = subprocess.run(command, input=line + "\n", text=True, check=True, capture_output=True)
        if "Error" in done.stdout:
            raise TargetError(f"simple_switch_CLI refused {line!r}: {done.stdout.strip()}")

    def hold(self, port: int) -> None:
        """Send one packet a second, the lowest rate of BMv2."""
        self.slow(port)

    def follow(self, port: int) -> None:
        """Later packets get no transmission time of their own."""
        self.release(port)

    def release(self, port: int) -> None:
        """Send at a rate above that of all tests."""
        self._command(f"set_queue_rate {self.FAST_PPS} {port}")

    def slow(self, port: int) -> None:
        """Send one packet a second."""
        self._command(f"set_queue_rate 1 {port}")


def ports_of(target: Target, address: str) -> Ports:
    """The ports of a running target."""
    if PROCESSES[target.command] is Bmv2:
        return Bmv2Ports(address)
    # Imported here: the tests on BMv2 need no embedded switch.
    from quench_switch.ports_client import PortsClient

    return EmbeddedPorts(PortsClient(address).set)
