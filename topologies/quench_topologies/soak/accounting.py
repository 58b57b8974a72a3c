# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The fate of packets, from one moment at which nothing is on its way to another.

The kernel counts what crosses each interface, and each switch what it does with packets. A packet that no count
explains is lost in secret, and one that is counted twice hides the loss of another.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from quench_topologies.isolation import inside_namespace
from quench_topologies.network import RunningNetwork
from quench_topologies.plan import Endpoint

RECEIVED_NOT = ("rx_overrun_pkts", "rx_oversize_pkts", "rx_offload_refused_pkts")
"""The reasons that a packet of an interface does not reach the data plane."""
DROPS = (
    "dropped_no_program",
    "dropped_ingress",
    "dropped_egress",
    "dropped_queue_full",
    "dropped_memory",
    "dropped_priority",
    "dropped_passes",
    "dropped_reload",
    "dropped_port",
    "dropped_clone_session",
    "dropped_multicast_group",
    "dropped_assertion",
    "dropped_endless_loop",
)
"""The reasons that the data plane sends a packet to no port."""
SENT_NOT = (
    "dropped_on_link",
    "tx_unconnected_pkts",
    "tx_oversize_pkts",
    "tx_no_buffer_pkts",
    "tx_socket_full_pkts",
    "tx_no_link_pkts",
    "tx_error_pkts",
)
"""The reasons that a packet that the data plane sends does not reach an interface."""
BY_KERNEL = "kernel_tx_dropped_pkts"
"""It reached the interface, and the kernel dropped it there."""
TO_CPU = ("packet_ins",)
TO_CPU_NOT = (
    "cpu_queue_dropped_pkts",
    "packet_ins_dropped",
    "packet_ins_malformed",
    "packet_ins_without_controller",
)
"""The reasons that a packet for the CPU does not reach a controller."""
COPIES = ("clones_ingress", "clones_egress", "multicast_copies")
PASSED = ("port_rx_pkts", "packet_outs", "received_pkts", "sent_pkts", "queue_pkts")
ALL_COUNTS = (*RECEIVED_NOT, *DROPS, *SENT_NOT, *TO_CPU, *TO_CPU_NOT, *COPIES, *PASSED)


@dataclass(frozen=True, slots=True)
class Crossed:
    """The kernel's count of an interface."""

    received_pkts: int
    sent_pkts: int
    refused_pkts: int = 0
    """The number of packets that were given to it to be sent, and dropped, such as in the moment in which a link goes
    down."""


@dataclass(frozen=True, slots=True)
class Reading:
    """All counts at a moment."""

    ends: Mapping[Endpoint, Crossed]
    """The kernel's counts at both ends of each link."""
    switches: Mapping[str, Mapping[str, int]]
    """See P4Switch.counts."""


@dataclass(frozen=True, slots=True)
class Account:
    """One interval."""

    sent_by_hosts_pkts: int
    received_by_hosts_pkts: int
    dropped_pkts: Mapping[str, int]
    """The number of drops by reason, over the switches that were not killed."""
    faults: tuple[str, ...]
    """Sums that do not add up, one line each."""
    hidden_by_kill: tuple[str, ...]
    """Switches that were killed, and their counts with them."""


def read_counts(network: RunningNetwork) -> Reading:
    """Raises TopologyError."""
    ends: dict[Endpoint, Crossed] = {}
    here = _interfaces()
    for name, switch in network.switches.items():
        for port, interface in switch.interfaces().items():
            ends[Endpoint(name, port)] = here[interface]
    for name, host in network.hosts.items():
        with inside_namespace(host.namespace):
            ends[Endpoint(name)] = _interfaces()[network.plan.host(name).interface]
    return Reading(ends, {name: switch.counts() for name, switch in network.switches.items()})


def account(network: RunningNetwork, before: Reading, after: Reading, killed: Collection[str]) -> Account:
    """The fate of the packets between two readings."""
    crossed = {
        end: Crossed(
            after.ends[end].received_pkts - before.ends[end].received_pkts,
            after.ends[end].sent_pkts - before.ends[end].sent_pkts,
            after.ends[end].refused_pkts - before.ends[end].refused_pkts,
        )
        for end in after.ends
    }
    faults = []
    for link in network.plan.links:
        for near, far in ((link.a, link.b), (link.b, link.a)):
            if crossed[near].sent_pkts != crossed[far].received_pkts:
                faults.append(
                    f"{near.node} port {near.port} sent {crossed[near].sent_pkts} packets, "
                    f"{far.node} port {far.port} received {crossed[far].received_pkts}"
                )
    dropped: Counter[str] = Counter()
    for name, counts in after.switches.items():
        if name in killed:
            continue
        missing = [each for each in ALL_COUNTS if each not in counts]
        if missing:
            faults.append(f"{name} does not count {', '.join(missing)}")
            continue
        changes = {each: counts[each] - before.switches[name][each] for each in ALL_COUNTS}
        mine = [each for end, each in crossed.items() if end.node == name]
        faults += _faults_of_switch(name, changes, mine)
        dropped.update({reason: changes[reason] for reason in (*RECEIVED_NOT, *DROPS, *SENT_NOT, *TO_CPU_NOT)})
        dropped[BY_KERNEL] += sum(each.refused_pkts for each in mine)
    hosts = [crossed[Endpoint(name)] for name in network.hosts]
    return Account(
        sum(each.sent_pkts for each in hosts),
        sum(each.received_pkts for each in hosts),
        {reason: count for reason, count in dropped.items() if count},
        tuple(faults),
        tuple(sorted(killed)),
    )


def _faults_of_switch(name: str, changes: Mapping[str, int], crossed: Collection[Crossed]) -> list[str]:
    def total(*names: str) -> int:
        return sum(changes[each] for each in names)

    refused_pkts = sum(each.refused_pkts for each in crossed)
    # A driver that drops a packet while the other end goes down says so to the sender (ENOBUFS) and counts it as well.
    counted_twice = min(refused_pkts, changes["tx_no_buffer_pkts"])
    claims = (
        (
            "interfaces received",
            sum(each.received_pkts for each in crossed),
            "the data plane received or the switch refused",
            total("port_rx_pkts", *RECEIVED_NOT),
            0,
        ),
        (
            "the data plane received from interfaces and controllers",
            total("received_pkts"),
            "they sent",
            total("port_rx_pkts", "packet_outs"),
            0,
        ),
        (
            "the data plane received and copied",
            total("received_pkts", *COPIES),
            "it sent, dropped or holds",
            total("sent_pkts", *DROPS, "queue_pkts"),
            0,
        ),
        (
            "the data plane sent",
            total("sent_pkts"),
            "left by interfaces, went to the CPU, or were lost on the way",
            sum(each.sent_pkts for each in crossed) + refused_pkts + total(*SENT_NOT, *TO_CPU, *TO_CPU_NOT),
            counted_twice,
        ),
    )
    return [
        f"{name}: {one} {count} packets, {other} {other_count}: {count - other_count:+d}"
        for one, count, other, other_count, surplus in claims
        if not count <= other_count <= count + surplus
    ]


def _interfaces() -> dict[str, Crossed]:
    """The counts of the interfaces in the calling thread's namespace."""
    found = {}
    for line in Path("/proc/thread-self/net/dev").read_text().splitlines()[2:]:
        name, _, numbers = line.partition(":")
        fields = numbers.split()
        found[name.strip()] = Crossed(int(fields[1]), int(fields[9]), int(fields[11]))
    return found
