# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Where packets go in a plan, followed hop by hop."""

from ipaddress import ip_network

from quench_topologies.loaded_plan import LoadedPlan, LoadSettings
from quench_topologies.papers.leaf_spine import LEAF_SPINE, LeafSpineSettings, leaf_spine_plan
from quench_topologies.plan import PAPER_TCP, Endpoint, NetworkPlan


def leaf_spine(leaves: int, spines: int, hosts: int) -> LoadedPlan:
    """A leaf-spine with 16 flows. Raises TopologyError."""
    row = LEAF_SPINE.row
    settings = LoadSettings(row.thresholds.profile("ecn"), row.rate_bps, row.delay_ns, hosts, 16, PAPER_TCP)
    return leaf_spine_plan(LeafSpineSettings(leaves, spines), settings)


def path(plan: NetworkPlan, sender: str, receiver: str) -> list[tuple[str, int]]:
    """The switches' ports by which packets from one host to another leave."""
    address = ip_network(plan.host(receiver).address.ip)
    here = plan.peer(Endpoint(sender))
    ports = []
    while here is not None and here.node != receiver:
        switch = next(each for each in plan.switches if each.name == here.node)
        ((hop,),) = [route.hops for route in plan.routes(switch) if route.prefix == address]
        ports.append((switch.name, hop.port))
        here = plan.peer(Endpoint(switch.name, hop.port))
    return ports


def delay_ns(plan: NetworkPlan, sender: str, receiver: str) -> int:
    """The delay of the links on the way; a host's own link is delayed at the far end only."""
    ports = {switch.name: switch.ports for switch in plan.switches}
    return sum(ports[switch][port].delay_ns for switch, port in path(plan, sender, receiver))


def round_trip_ns(plan: NetworkPlan, sender: str, receiver: str) -> int:
    """There and back, without queues."""
    return delay_ns(plan, sender, receiver) + delay_ns(plan, receiver, sender)
