# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The reference switch, simple_switch_grpc, where it is installed.

It counts queues in packets and paces them in packets per second, both set by its Thrift interface
(docs/simple_switch.md of p4lang/behavioral-model); it can neither delay nor lose packets on a link.
"""

import logging
import shutil
import socket
import subprocess
import time
from collections.abc import Iterable

from quench_topologies.errors import TopologyError
from quench_topologies.hosts import COMMAND_S
from quench_topologies.plan import ETHERNET_HEADER_BYTES, PortPlan, SwitchPlan
from quench_topologies.process import Child
from quench_topologies.switches import READY_S, P4Switch

LOGGER = logging.getLogger(__name__)
FIRST_THRIFT_PORT = 9090
PROGRAM = "simple_switch_grpc"
THRIFT_CLIENT = "simple_switch_CLI"
NOTIFICATIONS_OPTION = "--notifications-addr"
"""Only of a BMv2 that was built with nanomsg; its default is one file for all switches of a device id."""


class Bmv2Switch(P4Switch):
    """simple_switch_grpc."""

    @classmethod
    def check_installed(cls) -> None:
        """Raise TopologyError where BMv2 is not installed."""
        for program in (PROGRAM, THRIFT_CLIENT):
            installed(program)

    def launch(self) -> None:
        """Start the switch, wait for both servers, set the queues."""
        program, client = installed(PROGRAM), installed(THRIFT_CLIENT)
        queues = priority_queues(self.switch_plan, self.interfaces())
        thrift_port = FIRST_THRIFT_PORT + self.device_id - 1
        command = [program, "--no-p4", "--device-id", str(self.device_id), "--thrift-port", str(thrift_port)]
        command += ["--log-console", "-L", "warn"]
        if has_option(program, NOTIFICATIONS_OPTION):
            command += [NOTIFICATIONS_OPTION, f"ipc://{self.directory}/{self.name}-notifications.ipc"]
        for number, interface in self.interfaces().items():
            command += ["-i", f"{number}@{interface}"]
        command += ["--", "--grpc-server-addr", self.address, "--cpu-port", str(self.cpu_port)]
        if queues > 1:
            command += ["--priority-queues", str(queues)]
        self.child = Child(f"switch {self.name}", command, self.directory / f"{self.name}.log")
        for port in (thrift_port, int(self.address.rpartition(":")[2])):
            _wait_for_listener(port, self.child)
        if any(plan.delay_ns or plan.loss for plan in self.switch_plan.ports.values()):
            LOGGER.warning("%s: BMv2 neither delays nor loses packets on a link: only the rate is used", self.name)
        commands = [
            line
            for number, plan in self.switch_plan.ports.items()
            for line in queue_commands(number, plan, self.plan.tcp.packet_bytes)
        ]
        if commands:
            run_thrift(client, thrift_port, commands)

    def queue_statistics(self, _port: int, _queue: int = 0) -> None:
        """BMv2 keeps none."""
        return

    def reset_queue_statistics(self, _port: int) -> None:
        """BMv2 keeps none."""

    def version(self) -> str:
        """The version that simple_switch_grpc prints."""
        done = _run([installed(PROGRAM), "--version"])
        return f"simple_switch_grpc {done.stdout.strip()}"


def queue_commands(number: int, port: PortPlan, packet_bytes: int) -> list[str]:
    """Rate and capacity in frames of full segments, as simple_switch_CLI's commands.

    Only a port with a profile, the bottleneck, is paced: a rate in packets would hold up the small ACKs on other ports.
    """
    if not port.queue_profiles:
        return []
    commands = []
    frame_bytes = packet_bytes + ETHERNET_HEADER_BYTES
    if port.rate_bps is not None:
        commands.append(f"set_queue_rate {max(1, round(port.rate_bps / 8 / frame_bytes))} {number}")
    if port.capacity_bytes is not None:
        commands.append(f"set_queue_depth {max(1, port.capacity_bytes // frame_bytes)} {number}")
    for queue, size_bytes in port.queue_capacity_bytes.items():
        commands.append(f"set_queue_depth {max(1, size_bytes // frame_bytes)} {number} {queue}")
    return commands


def priority_queues(switch: SwitchPlan, ports: Iterable[int]) -> int:
    """The number for --priority-queues, the same for all ports. Raises TopologyError for what BMv2 cannot do."""
    for number, port in switch.ports.items():
        if port.scheduler != "strict":
            raise TopologyError(
                f"{switch.name}, port {number}: BMv2 serves queues by strict priority only, not by {port.scheduler}: "
                "choose the embedded target"
            )
    return max((switch.queues(number) for number in ports), default=1)


def installed(program: str) -> str:
    """The path of an installed program. Raises TopologyError."""
    path = shutil.which(program)
    if path is None:
        raise TopologyError(
            f"{program} is not on PATH: install BMv2 (docs/how-to/bmv2.md), or choose the embedded target"
        )
    return path


def has_option(program: str, option: str) -> bool:
    """Whether a program's help names an option."""
    done = _run([program, "--help"])
    return option in done.stdout + done.stderr


def run_thrift(client: str, port: int, commands: list[str]) -> None:
    """Give simple_switch_CLI some commands. Raises TopologyError when one of them fails."""
    done = _run([client, "--thrift-port", str(port)], "\n".join(commands) + "\n")
    # Its exit status is always 0; it prints something only about faults.
    faults = [line for line in done.stdout.splitlines() if "rror" in line or "nvalid" in line]
    if done.returncode or faults:
        reason = faults[0] if faults else (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
        raise TopologyError(f"{THRIFT_CLIENT} could not set the queues at port {port}: {reason}")


def _run(command: list[str], text: str | None = None) -> "subprocess.CompletedProcess[str]":
    try:
        return subprocess.run(command, input=text, capture_output=True, text=True, timeout=COMMAND_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise TopologyError(f"{' '.join(command)} did not end within {COMMAND_S:g} s") from error


def _wait_for_listener(port: int, child: Child) -> None:
    deadline = time.monotonic() + READY_S
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        child.check()
        time.sleep(0.05)
    raise TopologyError(f"{child.name} did not listen on port {port} within {READY_S:g} s: {child.last_words()}")
