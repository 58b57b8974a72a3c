# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A planned network that runs: Mininet nodes, switches and a controller, and the end of all of them."""

import logging
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quench.errors import ControllerError
from quench.networks import KIND, SOCKET_FILE, describe
from quench.service.protocol import ControlClient
from quench.targets import TARGETS
from quench.temporary import temporary_folder

from quench_topologies.bmv2 import Bmv2Switch
from quench_topologies.controller_config import controller_config, write_controller_config
from quench_topologies.errors import TopologyError
from quench_topologies.flow_feed import flows_in_feed
from quench_topologies.hosts import PlannedHost
from quench_topologies.iperf import MeasuredMininet
from quench_topologies.isolation import OWN_NAMESPACE, end_processes, private_network
from quench_topologies.plan import NetworkPlan
from quench_topologies.preconditions import check_machine
from quench_topologies.process import Child
from quench_topologies.program import OwnProgram, Program, find_quench
from quench_topologies.switches import P4Switch, QuenchSwitch
from quench_topologies.traffic import Ends

LOGGER = logging.getLogger(__name__)
CONTROLLER_READY_S = 30.0
POLL_S = 0.05
DEATH_S = 2.0
"""Longest time from a process's closed connections to its end."""
CONTROLLER_CONFIG = "controller.yaml"
SWITCHES: dict[str, type[P4Switch]] = {"quench switch": QuenchSwitch, "simple_switch_grpc": Bmv2Switch}
"""The class of each command."""
PRIORITY = -15
"""The nice value of everything that makes up the network."""


@dataclass(slots=True)
class RunningNetwork:
    """A network that runs."""

    plan: NetworkPlan
    net: Any
    """Mininet's object, for its command line."""
    hosts: dict[str, PlannedHost]
    switches: dict[str, P4Switch]
    control: ControlClient
    socket: Path
    """The controller's socket."""
    directory: Path
    """Folder of the logs, the configuration and the socket."""
    controller: Child

    def start_controller(self) -> None:
        """Start the controller again, after it was ended."""
        self.controller = _start_controller(self.directory)

    def stop_controller(self) -> None:
        """End the controller that runs now."""
        self.controller.stop()

    def is_programmed(self) -> bool:
        """Whether the controller has programmed all switches."""
        try:
            return all(self.control.call("ping").values())
        except ControllerError:
            return False

    def wait_until_programmed(self, timeout_s: float) -> None:
        """Wait for that. Raises TopologyError when it takes longer, or when a switch or the controller ends."""
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            self.check()
            if self.is_programmed():
                return
            time.sleep(POLL_S)
        raise TopologyError(
            f"the controller had not programmed the switches after {timeout_s:g} s: {self.controller.last_words()}"
        )

    @contextmanager
    def causes_named(self) -> Iterator[None]:
        """A failure of the block that comes from the end of a switch or of the controller is reported as that end."""
        try:
            yield
        except (TopologyError, ControllerError):
            # A process that dies closes its connections before its parent can see its end.
            deadline = time.monotonic() + DEATH_S
            while time.monotonic() < deadline:
                self.check()
                time.sleep(POLL_S)
            raise

    def ends(self, sender: str, receiver: str) -> Ends:
        """The ends of a flow between two hosts."""
        address = str(self.plan.host(receiver).address.ip)
        return Ends(self.hosts[sender].namespace, self.hosts[receiver].namespace, address)

    def check(self) -> None:
        """Raise TopologyError if a switch or the controller has ended."""
        for switch in self.switches.values():
            switch.check()
        self.controller.check()


@contextmanager
def running_network(
    plan: NetworkPlan,
    program: Program | OwnProgram,
    target: str,
    seed: int,
    place: Path | None = None,
    metrics: tuple[str, int] | None = None,
    options: Mapping[str, Sequence[str]] | None = None,
    name: str = "network",
) -> Iterator[RunningNetwork]:
    """Bring a network up, and end all of it when the block is left.

    Its files are in a temporary folder of this place. The controller's metrics are at this address, in the network's
    namespace. ``options``: more words of the command of embedded switches, by name. ``name``: by which commands
    list it. Raises TopologyError.
    """
    check_target(target)
    check_machine()
    if isinstance(program, OwnProgram):
        plan = program.scheduled(plan)
    with ExitStack() as stack:
        stack.enter_context(raised_priority())
        directory = stack.enter_context(temporary_folder(KIND, place))
        stack.enter_context(private_network())
        net = MeasuredMininet(controller=None, build=False)
        stack.callback(_stop, net)
        hosts, switches = _add_nodes(net, plan, target, directory, seed)
        for switch, words in (options or {}).items():
            switches[switch].options = tuple(words)
        net.built = True
        for host in plan.hosts:
            hosts[host.name].set_up(plan, host)
        net.start()
        socket = directory / SOCKET_FILE
        addresses = {name: switch.address for name, switch in switches.items()}
        config = controller_config(plan, addresses, program, socket, metrics)
        write_controller_config(directory / CONTROLLER_CONFIG, config)
        controller = _start_controller(directory)
        network = RunningNetwork(plan, net, hosts, switches, ControlClient(socket), socket, directory, controller)
        stack.callback(network.stop_controller)
        network.wait_until_programmed(CONTROLLER_READY_S)
        stack.enter_context(flows_in_feed(socket, hosts))
        describe(directory, name)
        yield network


@contextmanager
def raised_priority() -> Iterator[None]:
    """Processes of this thread precede the machine's other work: a switch that waits for a core delays packets."""
    before = os.getpriority(os.PRIO_PROCESS, 0)
    try:
        os.setpriority(os.PRIO_PROCESS, 0, min(before, PRIORITY))
    except PermissionError:
        LOGGER.warning("cannot raise the priority (nice %d): other work on this machine will delay packets", PRIORITY)
    try:
        yield
    finally:
        os.setpriority(os.PRIO_PROCESS, 0, before)


def _add_nodes(
    net: Any, plan: NetworkPlan, target: str, directory: Path, seed: int
) -> tuple[dict[str, PlannedHost], dict[str, P4Switch]]:
    switches: dict[str, P4Switch] = {}
    for index, switch in enumerate(plan.switches):
        switches[switch.name] = net.addSwitch(
            switch.name, cls=_switch_maker(target, plan, switch, directory, seed + index)
        )
    hosts: dict[str, PlannedHost] = {host.name: net.addHost(host.name, cls=PlannedHost, ip=None) for host in plan.hosts}
    nodes: dict[str, Any] = {**hosts, **switches}
    for link in plan.links:
        try:
            net.addLink(
                nodes[link.a.node],
                nodes[link.b.node],
                port1=link.a.port,
                port2=link.b.port,
                addr1=plan.mac(link.a),
                addr2=plan.mac(link.b),
            )
        except TopologyError:
            raise
        except Exception as error:
            # Mininet has no narrower one for a link that cannot be made.
            raise TopologyError(f"{link.a.node} to {link.b.node}: {' '.join(str(error).split())}") from error
    return hosts, switches


def _stop(net: Any) -> None:
    """End all nodes and every process on them; the interfaces end with the namespaces.

    Mininet's own way waits for its shells, which may be busy, and leaves processes in the background alone.
    """
    for switch in net.switches:
        switch.end()
    end_processes([OWN_NAMESPACE, *(host.namespace for host in net.hosts)])
    for node in (*net.hosts, *net.switches):
        node.terminate()


def check_target(target: str) -> None:
    """Raise TopologyError where there is no such target, or not on this machine."""
    if target not in TARGETS:
        raise TopologyError(
            f"--target {target}: choose {' or '.join((', '.join(list(TARGETS)[:-1]), list(TARGETS)[-1]))}"
        )
    SWITCHES[TARGETS[target].command].check_installed()


def _switch_maker(target: str, plan: NetworkPlan, switch: Any, directory: Path, seed: int) -> Any:
    """A maker that drops the parameters of Mininet's that our switches do not use."""
    row = TARGETS[target]
    return lambda name, **_: SWITCHES[row.command](name, row, plan, switch, directory, seed)


def _start_controller(directory: Path) -> Child:
    command = [str(find_quench()), "controller", "run", str(directory / CONTROLLER_CONFIG)]
    return Child("controller", command, directory / "controller.log")
