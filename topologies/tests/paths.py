# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Where packets go in a plan, followed hop by hop."""

from ipaddress import ip_network

from quench_topologies.plan import Endpoint, NetworkPlan


def path(plan: NetworkPlan, sender: str, receiver: str) -> list[tuple[str, int]]:
    """The switches' ports by which packets from one host to another leave."""
    address = ip_network(plan.host(receiver).address.ip)
    here = plan.peer(Endpoint(sender))
    ports = []
    while here is not None and here.node != receiver:
        switch = next(each for each in plan.switches if each.name == here.node)
        (port,) = [route.port for route in plan.routes(switch) if route.prefix == address]
        ports.append((switch.name, port))
        here = plan.peer(Endpoint(switch.name, port))
    return ports


def delay_ns(plan: NetworkPlan, sender: str, receiver: str) -> int:
    """The delay of the links on the way; a host's own link is delayed at the far end only."""
    ports = {switch.name: switch.ports for switch in plan.switches}
    return sum(ports[switch][port].delay_ns for switch, port in path(plan, sender, receiver))


def round_trip_ns(plan: NetworkPlan, sender: str, receiver: str) -> int:
    """There and back, without queues."""
    return delay_ns(plan, sender, receiver) + delay_ns(plan, receiver, sender)
