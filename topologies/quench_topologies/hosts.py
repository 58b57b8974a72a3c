# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Hosts as Mininet nodes: addresses, routes, offloads, the uplink's rate, and quench-host."""

import json
import subprocess
from collections.abc import Sequence
from ipaddress import IPv4Network, collapse_addresses
from pathlib import Path
from typing import Any

from quench_topologies.errors import TopologyError
from quench_topologies.mininet_api import Host
from quench_topologies.plan import (
    ETHERNET_MTU_BYTES,
    TCP_IP_HEADER_BYTES,
    Endpoint,
    HostPlan,
    NetworkPlan,
    TcpPlan,
    interface_name,
)
from quench_topologies.shell import NodeShell

OFFLOADS = ("rx", "tx", "sg", "tso", "gso", "gro")
ISQ_TTL = 255
"""The time to live with which switches and controllers send source quenches (p4src/common/types.p4)."""
PLAIN = "plain"
"""The algorithm of quench-host that is the kernel's own and has no parameters."""
UPLINK_BURST_BYTES = 3100
"""Two full Ethernet frames: the least that passes segments of any size."""
UPLINK_QUEUE_BYTES = 1_000_000
COMMAND_S = 60.0
"""The time in which a command that sets a node up must end."""


class PlannedHost(NodeShell, Host):  # type: ignore[misc]
    """A host that sets itself up as the plan says."""

    def set_up(self, plan: NetworkPlan, host: HostPlan) -> None:
        """Addresses, routes and rates. Raises TopologyError."""
        self._interface = host.interface
        self._tcp = plan.tcp
        self._quenchers = isq_rules(plan)
        plain = interface_name(host.name, 0)
        run_quietly(self, "sysctl", "-qw", *(f"net.ipv6.conf.{scope}.disable_ipv6=1" for scope in ("all", "default")))
        if host.interface != plain:
            run_quietly(self, "ip", "link", "set", plain, "down")
            run_quietly(self, "ip", "link", "set", plain, "name", host.interface)
        self._tell_mininet(plain, host)
        run_quietly(self, "ip", "link", "set", "lo", "up")
        if not plan.offloads:
            disable_offloads(self, host.interface)
        # The switch answers no ARP. Without the subnet's own route its hosts are reached by the gateway, as all others.
        plain_route = () if host.commands else ("noprefixroute",)
        run_quietly(self, "ip", "address", "add", str(host.address), "dev", host.interface, *plain_route)
        run_quietly(self, "ip", "link", "set", host.interface, "up")
        if host.uplink_rate_bps is not None:
            run_quietly(
                self,
                *("tc", "qdisc", "add", "dev", host.interface, "root", "tbf"),
                *("rate", f"{host.uplink_rate_bps}bit"),
                *("burst", str(UPLINK_BURST_BYTES), "limit", str(UPLINK_QUEUE_BYTES)),
            )
        if host.commands:
            for command in host.commands:
                run_quietly(self, "sh", "-c", command)
            self._know_neighbours(plan, host)
        else:
            self._route_by_switch(plan, host)

    def _tell_mininet(self, plain: str, host: HostPlan) -> None:
        """Mininet's own commands, such as pingall, take names and addresses from its records."""
        interface = self.nameToIntf.pop(plain)
        interface.name = host.interface
        self.nameToIntf[host.interface] = interface
        interface.ip, interface.prefixLen = str(host.address.ip), host.address.network.prefixlen

    def _route_by_switch(self, plan: NetworkPlan, host: HostPlan) -> None:
        switch = plan.peer(Endpoint(host.name))
        assert switch is not None
        gateway = str(host.gateway)
        run_quietly(self, "ip", "route", "replace", gateway, "dev", host.interface)
        run_quietly(
            self,
            *("ip", "neigh", "replace", gateway, "lladdr", plan.mac(switch), "dev", host.interface),
            *("nud", "permanent"),
        )
        run_quietly(
            self,
            *("ip", "route", "replace", "default", "via", gateway, "dev", host.interface),
            *route_metrics(plan.tcp),
        )

    def _know_neighbours(self, plan: NetworkPlan, host: HostPlan) -> None:
        """Frames to hosts of the same subnet go to the switch, which routes them to whichever link they are at."""
        switch = plan.peer(Endpoint(host.name))
        assert switch is not None
        entry = f"lladdr {plan.mac(switch)} dev {host.interface} nud permanent"
        lines = [f"neigh replace {each.address.ip} {entry}\n" for each in plan.neighbours(host)]
        run_quietly(self, "ip", "-batch", "-", text="".join(lines))

    @property
    def namespace(self) -> str:
        """The path of the host's network namespace."""
        return f"/proc/{self.pid}/ns/net"

    def quench_host(self, loader: Path, *arguments: str) -> str:
        """Run quench-host here and return its output. Raises TopologyError."""
        return run_quietly(self, str(loader), *arguments)

    def enable(self, loader: Path, algo: str, settings: Sequence[str] = ()) -> None:
        """Let new connections of this host use an algorithm of quench-host, with the plan's TCP.

        Settings are PARAM=VALUE. Raises TopologyError.
        """
        options = ["--paper"] if self._tcp.paper else []
        if self._tcp.max_window_pkts is not None and algo != PLAIN:
            settings = (*settings, f"max_cwnd_pkts={self._tcp.max_window_pkts}")
        if algo != PLAIN:
            options += self._quenchers
        for setting in settings:
            options += ["--set", setting]
        self.quench_host(loader, "enable", "--algo", algo, "--dev", self._interface, *options)

    def disable(self, loader: Path) -> None:
        """Undo enable; does nothing where nothing is enabled."""
        self.quench_host(loader, "disable", "--dev", self._interface)

    def counters(self, loader: Path) -> dict[str, int]:
        """The counters of quench-host; empty for the kernel's own TCP."""
        return dict(self.status(loader)["counters"])

    def parameters(self, loader: Path) -> dict[str, Any]:
        """The parameters of the algorithm that is enabled; empty for the kernel's own TCP."""
        return dict(self.status(loader)["params"])

    def status(self, loader: Path) -> dict[str, Any]:
        """The answer of ``quench-host status --json``. Raises TopologyError."""
        return dict(json.loads(self.quench_host(loader, "status", "--json")))


def isq_rules(plan: NetworkPlan) -> list[str]:
    """Options of quench-host about the routers that may send source quenches: addresses and distance."""
    addresses = [IPv4Network(plan.router_address(switch.name)) for switch in plan.switches]
    prefixes = [word for prefix in collapse_addresses(addresses) for word in ("--isq-from", str(prefix))]
    # Each switch on the way reduces it by one, as does the switch that makes the ISQ.
    return [*prefixes, "--isq-ttl-min", str(max(0, ISQ_TTL - len(plan.switches)))]


def route_metrics(tcp: TcpPlan) -> list[str]:
    """Words of `ip route` for TCP settings other than the kernel's defaults."""
    metrics = []
    if tcp.packet_bytes != ETHERNET_MTU_BYTES:
        metrics += ["advmss", str(tcp.packet_bytes - TCP_IP_HEADER_BYTES)]
    if tcp.max_window_bytes is not None:
        # A hint only, for the kernel's receive buffers outgrow it: enable() and Traffic see to the rest.
        metrics += ["window", str(tcp.max_window_bytes)]
    if tcp.initial_window_pkts is not None:
        metrics += ["initcwnd", str(tcp.initial_window_pkts)]
    if not tcp.delayed_acks:
        metrics += ["quickack", "1"]
    return metrics


def disable_offloads(node: Any, interface: str) -> None:
    """Let packets cross a veth as they would cross a cable: one by one, with their checksums."""
    settings = [word for name in OFFLOADS for word in (name, "off")]
    run_quietly(node, "ethtool", "-K", interface, *settings)


def run_quietly(node: Any, *command: str, text: str = "") -> str:
    """Run a command that reads ``text`` in a node's namespace and return its output.

    Raises TopologyError with its last line.
    """
    # Not by the node's shell: that would mix with what a user types there, and hides the exit status.
    try:
        done = subprocess.run(
            ["mnexec", "-a", str(node.pid), *command],
            input=text,
            capture_output=True,
            text=True,
            timeout=COMMAND_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise TopologyError(f"{node.name}: '{' '.join(command)}' did not end within {COMMAND_S:g} s") from error
    except OSError as error:
        raise TopologyError(f"mnexec: {error.strerror}: run 'make setup' (Debian's package is 'mininet')") from error
    if done.returncode:
        words = (done.stderr or done.stdout).strip().splitlines()
        raise TopologyError(f"{node.name}: '{' '.join(command)}' failed: {words[-1] if words else done.returncode}")
    return done.stdout
