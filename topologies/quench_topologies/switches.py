# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The common base of both kinds of switches, and the embedded one."""

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from quench.client.pipelines import PIPELINES
from quench.targets import Target
from quench_switch.version import VERSION

from quench_topologies.errors import TopologyError
from quench_topologies.hosts import disable_offloads, run_quietly
from quench_topologies.mininet_api import Switch
from quench_topologies.plan import NetworkPlan, PortPlan, SwitchPlan
from quench_topologies.process import Child, wait_for_line
from quench_topologies.program import find_quench
from quench_topologies.shell import NodeShell

READY_S = 20.0
FIRST_GRPC_PORT = 50051
"""The port of device 1; those of the others follow. The switches' own network namespace has no other use of it."""


class P4Switch(NodeShell, Switch, ABC):  # type: ignore[misc]
    """A switch process that serves P4Runtime, on the interfaces that Mininet made for this node."""

    takes_offloads = False
    """Whether it cuts up what hosts hand over with offloads on."""

    def __init__(
        self, name: str, target: Target, plan: NetworkPlan, switch: SwitchPlan, directory: Path, seed: int
    ) -> None:
        self.target = target
        self.cpu_port = PIPELINES[target.architecture.arch].cpu_port
        self.plan = plan
        self.switch_plan = switch
        self.device_id = plan.device_id(name)
        self.directory = directory
        self.seed = seed
        self.child: Child | None = None
        self.options: tuple[str, ...] = ()
        """More words of the embedded switch's command."""
        self.address = f"127.0.0.1:{FIRST_GRPC_PORT + self.device_id - 1}"
        """The P4Runtime server, once the switch has started."""
        super().__init__(name, dpid=f"{self.device_id:x}", inNamespace=False)

    def start(self, _controllers: Any) -> None:
        """Start the process and wait until it can be programmed. Raises TopologyError."""
        for interface in self.interfaces().values():
            # IPv6 would send router solicitations and the like into the network.
            run_quietly(self, "sysctl", "-qw", f"net.ipv6.conf.{interface}.disable_ipv6=1")
            if not self.plan.offloads:
                disable_offloads(self, interface)
            run_quietly(self, "ip", "link", "set", interface, "up")
        self.launch()

    def end(self) -> None:
        """End the process."""
        if self.child is not None:
            self.child.stop()
            self.child = None

    def stop(self, deleteIntfs: bool = True) -> None:  # noqa: N803  Mininet's signature
        """The end of the switch, by the name that Mininet's command line uses."""
        self.end()
        super().stop(deleteIntfs)

    @classmethod
    def check_installed(cls) -> None:
        """Raise TopologyError where a program of the target is missing on this machine."""

    @abstractmethod
    def launch(self) -> None:
        """Start the process."""

    @abstractmethod
    def queue_statistics(self, port: int, queue: int = 0) -> dict[str, Any] | None:
        """Mean and deviation of the depth of one of a port's queues since the last reset, and counts of packets.

        None where the target keeps none.
        """

    @abstractmethod
    def reset_queue_statistics(self, port: int) -> None:
        """Start the statistics anew."""

    def counts(self) -> dict[str, int]:
        """All that the switch counts of packets, by name, since it started. Raises TopologyError."""
        raise TopologyError(
            f"switch {self.name}: {self.target.name} does not count all of its packets: choose embedded"
        )

    @abstractmethod
    def version(self) -> str:
        """The version, for reports."""

    def check(self) -> None:
        """Raise TopologyError if the process has ended."""
        if self.child is not None:
            self.child.check()

    def interfaces(self) -> dict[int, str]:
        """The interface of each port."""
        return {number: interface.name for number, interface in self.intfs.items() if interface.name != "lo"}


class QuenchSwitch(P4Switch):
    """The embedded switch, `quench switch`; with Tofino's architecture it is one pipe."""

    takes_offloads = True

    def launch(self) -> None:
        """Start `quench switch` and wait for its address. Raises TopologyError for a port that its chip lacks."""
        last = self.target.architecture.last_port
        beyond = [number for number in self.interfaces() if last is not None and number > last]
        if beyond:
            raise TopologyError(f"switch {self.name}: port {beyond[0]}: a pipe of Tofino has ports 0 to {last}")
        ready, write_end = os.pipe()
        command = [
            *(str(find_quench()), "switch", "--no-p4"),
            *("--device-id", str(self.device_id), "--cpu-port", str(self.cpu_port), "--seed", str(self.seed)),
            *("--grpc-server-addr", self.address, "--ready-fd", str(write_end)),
            *self.options,
        ]
        for number, interface in self.interfaces().items():
            command += ["-i", f"{number}@{interface}"]
            port = self.switch_plan.ports.get(number, PortPlan())
            if options := port_options(port, self.switch_plan.queues(number)):
                command += ["--port", f"{number}:{options}"]
        try:
            self.child = Child(f"switch {self.name}", command, self.directory / f"{self.name}.log", (write_end,))
        except BaseException:
            os.close(ready)
            raise
        finally:
            os.close(write_end)
        self.address = wait_for_line(ready, self.child, READY_S)

    def queue_statistics(self, port: int, queue: int = 0) -> dict[str, Any]:
        """See quench_switch.ports_client.PortsClient."""
        with self._ports() as client:
            return dict(client.get(port)["queue_stats"][queue])

    def reset_queue_statistics(self, port: int) -> None:
        """Start the time-weighted statistics anew."""
        with self._ports() as client:
            client.reset_stats(port)

    def counts(self) -> dict[str, int]:
        """Counts of the data plane and of P4Runtime; port_rx_pkts came by interfaces, queue_pkts wait now."""
        with self._ports() as client:
            parts, ports = client.stats(), client.get_all()
        received = sum(port["rx_pkts"] for port in ports if port["port"] in self.interfaces())
        waiting = sum(sum(port["queue_pkts"]) for port in ports)
        return {**parts["switch"], **parts["controller"], "port_rx_pkts": received, "queue_pkts": waiting}

    def version(self) -> str:
        """The package's version."""
        return f"quench-switch {VERSION}"

    @contextmanager
    def _ports(self) -> Iterator[Any]:
        """A client of the switch's ports, whose errors are TopologyError."""
        # Here, because the compiled module exists only where the embedded switch is built.
        from quench_switch.ports_client import PortsClient, PortsError

        try:
            with PortsClient(self.address) as client:
                yield client
        except PortsError as error:
            raise TopologyError(f"switch {self.name} gives no counts: {error}") from error


def port_options(port: PortPlan, queues: int = 1) -> str:
    """The value of `quench switch --port N:`, for so many queues."""
    options = []
    if port.rate_bps is not None:
        options.append(f"rate={port.rate_bps}bps")
    if port.capacity_bytes is not None:
        options.append(f"capacity={port.capacity_bytes}B")
    if port.delay_ns:
        options.append(f"delay={port.delay_ns}ns")
    if port.loss:
        options.append(f"loss={port.loss}")
    if queues > 1:
        options += [f"queues={queues}", f"scheduler={port.scheduler}"]
    if port.weights:
        options.append("weights=" + "/".join(f"{queue}:{weight:g}" for queue, weight in port.weights.items()))
    options += [f"capacity.{queue}={size}B" for queue, size in port.queue_capacity_bytes.items()]
    return ",".join(options)
