# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The papers' topologies with one bottleneck: N1 (dumbbell) and N2 (one flow, a lossy way back)."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from ipaddress import IPv4Interface
from typing import Any

from quench_topologies.errors import TopologyError
from quench_topologies.loaded_plan import Bottleneck, LoadedPlan, LoadSettings, Place
from quench_topologies.papers import declared
from quench_topologies.papers.paper_network import DemoPath, PaperNetwork
from quench_topologies.papers.switch_row import ACCESS_CAPACITY_BYTES
from quench_topologies.plan import Endpoint, HostPlan, LinkPlan, NetworkPlan, PortPlan, SwitchPlan, TcpPlan

MAX_PAIRS = 100
BOTTLENECK_SWITCH = "s1"
FAR_SWITCH = "s2"
TRUNK_PORT = 1
"""The port of both switches on the bottleneck link; the hosts' ports follow."""

DEMO_DELAY_NS = 20_000_000
"""The longest path, in steps of 5 ms, on which the average of the demo's flows settles instead of swinging, by the
model of docs/tuning.md. With the papers' 40 ms it swings so far that nine of ten marks lie above the lower
becnthresh."""


@dataclass(frozen=True, slots=True)
class DumbbellSettings:
    """N1. Servers are on the left of s1, clients on the right of s2; data flows from server to client."""

    pairs: int = 4
    rate_bps: int = declared.N1.rate_bps
    delay_ns: int = declared.N1.delay_ns
    """The delay of the bottleneck link, one way."""
    buffer_bytes: int = int(declared.N1.buffer.value)
    access: declared.Access = declared.N1.source
    """The link of each host."""
    reverse_loss: float = 0.0
    """Probability that a packet is lost between s1 and a server: ACKs and source quenches (N2)."""
    tcp: TcpPlan = field(default_factory=TcpPlan)
    isq_mode: str = "cpu"


def n2_settings(reverse_loss: float) -> DumbbellSettings:
    """One sender, one receiver, a slow bottleneck, and losses from the router to the sender."""
    return DumbbellSettings(
        pairs=1,
        rate_bps=declared.N2.rate_bps,
        delay_ns=declared.N2.delay_ns,
        buffer_bytes=int(declared.N2.buffer.value),
        access=declared.N2.source,
        reverse_loss=reverse_loss,
    )


def dumbbell(settings: DumbbellSettings, profile: Mapping[str, Any]) -> NetworkPlan:
    """Hosts server1.. and client1.., switches s1 and s2; the profile is that of s1's queue to s2.

    Hosts cannot delay what they send, so each host's port at its switch delays for both directions of the link.
    Raises TopologyError.
    """
    if not 1 <= settings.pairs <= MAX_PAIRS:
        raise TopologyError(f"{settings.pairs} pairs of hosts: choose from 1 to {MAX_PAIRS}")
    numbers = range(1, settings.pairs + 1)
    servers = tuple(_host("server", number, 0, settings) for number in numbers)
    clients = tuple(_host("client", number, 1, settings) for number in numbers)
    trunk = LinkPlan(Endpoint(BOTTLENECK_SWITCH, TRUNK_PORT), Endpoint(FAR_SWITCH, TRUNK_PORT))
    links = [
        LinkPlan(Endpoint(host.name), Endpoint(switch, TRUNK_PORT + number))
        for switch, hosts in ((BOTTLENECK_SWITCH, servers), (FAR_SWITCH, clients))
        for number, host in enumerate(hosts, start=1)
    ]
    bottleneck = PortPlan(settings.rate_bps, settings.buffer_bytes, settings.delay_ns, profile=profile)
    back = PortPlan(settings.rate_bps, settings.buffer_bytes, settings.delay_ns)
    return NetworkPlan(
        hosts=servers + clients,
        switches=(
            _switch(BOTTLENECK_SWITCH, bottleneck, _access(settings, settings.reverse_loss), settings.pairs),
            _switch(FAR_SWITCH, back, _access(settings, 0.0), settings.pairs),
        ),
        links=(trunk, *links),
        tcp=settings.tcp,
        isq_mode=settings.isq_mode,
    )


def dumbbell_plan(settings: DumbbellSettings, profile: Mapping[str, Any], flows: int) -> LoadedPlan:
    """The dumbbell with flows from every server to its client. Raises TopologyError."""
    pairs = tuple((f"server{number}", f"client{number}") for number in range(1, settings.pairs + 1))
    return LoadedPlan(
        plan=dumbbell(settings, profile),
        bottlenecks=(Bottleneck(BOTTLENECK_SWITCH, TRUNK_PORT, FAR_SWITCH, TRUNK_PORT),),
        places=(Place(pairs, flows),),
    )


def _loaded(network: DumbbellSettings, settings: LoadSettings) -> LoadedPlan:
    network = replace(
        network,
        pairs=settings.pairs,
        rate_bps=settings.rate_bps,
        delay_ns=settings.delay_ns,
        tcp=settings.tcp,
        isq_mode=settings.isq_mode,
    )
    return dumbbell_plan(network, settings.profile, settings.flows)


def _host(kind: str, number: int, side: int, settings: DumbbellSettings) -> HostPlan:
    return HostPlan(
        name=f"{kind}{number}",
        address=IPv4Interface(f"10.{side}.{number}.1/24"),
        mac=f"02:00:00:01:{side:02x}:{number:02x}",
        uplink_rate_bps=settings.access.rate_bps,
    )


def _access(settings: DumbbellSettings, loss: float) -> PortPlan:
    return PortPlan(settings.access.rate_bps, ACCESS_CAPACITY_BYTES, 2 * settings.access.delay_ns, loss)


def _switch(name: str, trunk: PortPlan, access: PortPlan, pairs: int) -> SwitchPlan:
    return SwitchPlan(name, {TRUNK_PORT: trunk} | {TRUNK_PORT + number: access for number in range(1, pairs + 1)})


N1 = PaperNetwork(
    name="n1",
    title="P0's and P1's dumbbell",
    build=lambda settings: _loaded(DumbbellSettings(), settings),
    row=declared.N1,
    scheme="ecn-becn",
    pairs=4,
    flows=45,
    demo_path=DemoPath(delay_ns=DEMO_DELAY_NS, access_ns=declared.N1.source.delay_ns + declared.N1.sink.delay_ns),
)

N2 = PaperNetwork(
    name="n2",
    title="P0's single flow with a lossy way back",
    build=lambda settings: _loaded(n2_settings(settings.reverse_loss), settings),
    row=declared.N2,
    scheme="ecn-becn",
    pairs=1,
    flows=1,
)
