# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The papers' topologies with one bottleneck: N1 (dumbbell) and N2 (one flow, a lossy way back)."""

from dataclasses import dataclass, field
from ipaddress import IPv4Interface
from typing import Any

from quench_topologies.errors import TopologyError
from quench_topologies.plan import Endpoint, HostPlan, LinkPlan, NetworkPlan, PortPlan, SwitchPlan, TcpPlan

MAX_PAIRS = 100
ACCESS_CAPACITY_BYTES = 1_000_000
"""Of the queues towards the hosts, which are never the bottleneck."""

BOTTLENECK_SWITCH = "s1"
FAR_SWITCH = "s2"
TRUNK_PORT = 1
"""The port of both switches on the bottleneck link; the hosts' ports follow."""

N1_PROFILE = {"minth": "15KB", "maxth": "45KB", "maxp": 0.1, "wq": 0.002, "byte_mode": True}
N2_PROFILE = {"minth": "5KB", "maxth": "15KB", "maxp": 0.1, "wq": 0.002, "byte_mode": True}


@dataclass(frozen=True, slots=True)
class DumbbellSettings:
    """N1. Servers are on the left of s1, clients on the right of s2; data flows from server to client."""

    pairs: int = 4
    rate_bps: int = 10_000_000
    delay_ns: int = 40_000_000
    """Of the bottleneck link, one way."""
    buffer_bytes: int = 90_000
    access_rate_bps: int = 100_000_000
    access_delay_ns: int = 2_000_000
    """Of each host's link, one way."""
    reverse_loss: float = 0.0
    """Probability that a packet is lost between s1 and a server: ACKs and source quenches (N2)."""
    tcp: TcpPlan = field(default_factory=TcpPlan)


def n2_settings(reverse_loss: float) -> DumbbellSettings:
    """One sender, one receiver, a slow bottleneck, and losses from the router to the sender."""
    return DumbbellSettings(
        pairs=1,
        rate_bps=500_000,
        delay_ns=10_000_000,
        buffer_bytes=30_000,
        access_rate_bps=10_000_000,
        access_delay_ns=2_000_000,
        reverse_loss=reverse_loss,
    )


def dumbbell(settings: DumbbellSettings, profile: dict[str, Any]) -> NetworkPlan:
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
    )


def _host(kind: str, number: int, side: int, settings: DumbbellSettings) -> HostPlan:
    return HostPlan(
        name=f"{kind}{number}",
        address=IPv4Interface(f"10.{side}.{number}.1/24"),
        mac=f"02:00:00:01:{side:02x}:{number:02x}",
        uplink_rate_bps=settings.access_rate_bps,
    )


def _access(settings: DumbbellSettings, loss: float) -> PortPlan:
    return PortPlan(settings.access_rate_bps, ACCESS_CAPACITY_BYTES, 2 * settings.access_delay_ns, loss)


def _switch(name: str, trunk: PortPlan, access: PortPlan, pairs: int) -> SwitchPlan:
    return SwitchPlan(name, {TRUNK_PORT: trunk} | {TRUNK_PORT + number: access for number in range(1, pairs + 1)})
