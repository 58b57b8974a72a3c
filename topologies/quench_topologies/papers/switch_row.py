# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Switches in a row with hosts at each, as in most of the papers' networks."""

from collections.abc import Sequence
from ipaddress import IPv4Interface

from quench_topologies.errors import TopologyError
from quench_topologies.loaded_plan import Bottleneck
from quench_topologies.papers.declared import Access
from quench_topologies.plan import ClassPlan, Endpoint, HostPlan, LinkPlan, NetworkPlan, PortPlan, SwitchPlan, TcpPlan

ACCESS_CAPACITY_BYTES = 1_000_000
"""The capacity of the queues towards the hosts, which are never the bottleneck."""
FORWARD_PORT = 1
"""The port of a switch towards the next one."""
BACK_PORT = 2
FIRST_HOST_PORT = 3
MAX_HOSTS_OF_A_SWITCH = 250


class SwitchRow:
    """Builds a plan from the two ends of each link between switches; hosts are added one by one."""

    def __init__(self, switches: Sequence[str], forward: Sequence[PortPlan], back: Sequence[PortPlan]) -> None:
        self._switches = tuple(switches)
        self._hosts: list[HostPlan] = []
        self._links: list[LinkPlan] = []
        self._ports: dict[str, dict[int, PortPlan]] = {name: {} for name in self._switches}
        for bottleneck, there, back_again in zip(self.bottlenecks(), forward, back, strict=True):
            near = Endpoint(bottleneck.switch, bottleneck.port)
            far = Endpoint(bottleneck.next_switch, bottleneck.next_port)
            self._ports[near.node][near.port] = there
            self._ports[far.node][far.port] = back_again
            self._links.append(LinkPlan(near, far))

    def bottlenecks(self) -> tuple[Bottleneck, ...]:
        """The queues from each switch to the next."""
        return tuple(
            Bottleneck(near, FORWARD_PORT, far, BACK_PORT)
            for near, far in zip(self._switches, self._switches[1:], strict=False)
        )

    def add_host(self, name: str, switch: str, access: Access) -> None:
        """A host behind a switch, whose port delays for both directions: hosts cannot delay what they send.

        Raises TopologyError when the switch has no port left.
        """
        ports = self._ports[switch]
        number = 1 + sum(port >= FIRST_HOST_PORT for port in ports)
        if number > MAX_HOSTS_OF_A_SWITCH:
            raise TopologyError(f"more than {MAX_HOSTS_OF_A_SWITCH} hosts at {switch}: choose fewer --pairs")
        side = self._switches.index(switch)
        self._hosts.append(
            HostPlan(
                name=name,
                address=IPv4Interface(f"10.{side}.{number}.1/24"),
                mac=f"02:00:00:01:{side:02x}:{number:02x}",
                uplink_rate_bps=access.rate_bps,
            )
        )
        port = FIRST_HOST_PORT + number - 1
        ports[port] = PortPlan(access.rate_bps, ACCESS_CAPACITY_BYTES, 2 * access.delay_ns)
        self._links.append(LinkPlan(Endpoint(name), Endpoint(switch, port)))

    def plan(self, tcp: TcpPlan, isq_mode: str = "cpu", classes: tuple[ClassPlan, ...] = ()) -> NetworkPlan:
        """The whole network. Raises TopologyError."""
        return NetworkPlan(
            hosts=tuple(self._hosts),
            switches=tuple(SwitchPlan(name, self._ports[name], classes=classes) for name in self._switches),
            links=tuple(self._links),
            tcp=tcp,
            isq_mode=isq_mode,
        )
