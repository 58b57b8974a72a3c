# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A leaf-spine: each leaf has a link to each spine, hosts are at the leaves, and flows share the spines."""

from dataclasses import dataclass, field
from ipaddress import IPv4Interface

from quench_topologies.errors import TopologyError
from quench_topologies.loaded_plan import Bottleneck, LoadedPlan, LoadSettings, Place
from quench_topologies.papers import declared
from quench_topologies.papers.paper_network import PaperNetwork
from quench_topologies.papers.switch_row import ACCESS_CAPACITY_BYTES
from quench_topologies.plan import Endpoint, HostPlan, LinkPlan, NetworkPlan, PortPlan, SwitchPlan

MAX_LEAVES = 16
MAX_SPINES = 16
MAX_HOSTS_OF_LEAF = 16


@dataclass(frozen=True, slots=True)
class LeafSpineSettings:
    """The settings that only this network has. Raises TopologyError for numbers beyond its limits."""

    leaves: int = declared.LEAF_SPINE.leaves
    spines: int = declared.LEAF_SPINE.spines
    access: declared.Access = field(default=declared.LEAF_SPINE.source)
    """The link of each host."""

    def __post_init__(self) -> None:
        for option, value, least, most in (
            ("--leaves", self.leaves, 2, MAX_LEAVES),
            ("--spines", self.spines, 1, MAX_SPINES),
        ):
            if not least <= value <= most:
                raise TopologyError(f"{option} {value}: choose from {least} to {most}")


def leaf_spine_plan(shape: LeafSpineSettings, settings: LoadSettings) -> LoadedPlan:
    """Hosts h1, h2.. of which each leaf has as many as ``settings.pairs``, from leaf1 on.

    Flows go from each host to the host of the same place at the next leaf; those of the last leaf to the first. All
    queues between switches have the profile. Raises TopologyError.
    """
    hosts_of_leaf = settings.pairs
    if not 1 <= hosts_of_leaf <= MAX_HOSTS_OF_LEAF:
        raise TopologyError(f"{hosts_of_leaf} hosts at a leaf: choose from 1 to {MAX_HOSTS_OF_LEAF}")
    leaves = [f"leaf{number}" for number in range(1, shape.leaves + 1)]
    spines = [f"spine{number}" for number in range(1, shape.spines + 1)]
    buffer_bytes = declared.LEAF_SPINE.buffer_bytes(settings.tcp.packet_bytes)
    fabric = PortPlan(settings.rate_bps, buffer_bytes, settings.delay_ns, profile=settings.profile)
    # Hosts cannot delay what they send: the leaf's port delays for both directions.
    access = PortPlan(shape.access.rate_bps, ACCESS_CAPACITY_BYTES, 2 * shape.access.delay_ns)
    hosts: list[HostPlan] = []
    links: list[LinkPlan] = []
    bottlenecks: list[Bottleneck] = []
    for up, leaf in enumerate(leaves, start=1):
        for down, spine in enumerate(spines, start=1):
            links.append(LinkPlan(Endpoint(leaf, down), Endpoint(spine, up)))
            bottlenecks += [Bottleneck(leaf, down, spine, up), Bottleneck(spine, up, leaf, down)]
        for number in range(1, hosts_of_leaf + 1):
            name = f"h{len(hosts) + 1}"
            hosts.append(
                HostPlan(
                    name=name,
                    address=IPv4Interface(f"10.0.{up}.{number}/24"),
                    mac=f"02:00:00:01:{up:02x}:{number:02x}",
                    uplink_rate_bps=shape.access.rate_bps,
                )
            )
            links.append(LinkPlan(Endpoint(name), Endpoint(leaf, shape.spines + number)))
    hosts_ports = range(shape.spines + 1, shape.spines + hosts_of_leaf + 1)
    plan = NetworkPlan(
        hosts=tuple(hosts),
        switches=(
            *(
                SwitchPlan(leaf, dict.fromkeys(range(1, shape.spines + 1), fabric) | dict.fromkeys(hosts_ports, access))
                for leaf in leaves
            ),
            *(SwitchPlan(spine, dict.fromkeys(range(1, shape.leaves + 1), fabric)) for spine in spines),
        ),
        links=tuple(links),
        tcp=settings.tcp,
        isq_mode=settings.isq_mode,
        ecmp=shape.spines > 1,
    )
    names = [host.name for host in hosts]
    pairs = tuple(zip(names, names[hosts_of_leaf:] + names[:hosts_of_leaf], strict=True))
    return LoadedPlan(plan, tuple(bottlenecks), (Place(pairs, settings.flows),))


LEAF_SPINE = PaperNetwork(
    name="leaf-spine",
    title="A leaf-spine",
    build=lambda settings: leaf_spine_plan(LeafSpineSettings(), settings),
    row=declared.LEAF_SPINE,
    scheme="ecn",
    pairs=declared.LEAF_SPINE.hosts_of_leaf,
    flows=2 * declared.LEAF_SPINE.leaves * declared.LEAF_SPINE.hosts_of_leaf,
)
