# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The settings in which both simulators run: N1, competing flows, N2 and MF of the papers, with the TCP of 2001."""

from dataclasses import dataclass, replace
from typing import Literal

from quench.profiles.settings import scheme_of
from quench_switch.outside.units import parse_depth
from quench_topologies.papers import declared

PACKET_BYTES = 1000
"""A full segment with its headers, as ns-2 counts it."""


@dataclass(frozen=True, slots=True)
class Network:
    """Two routers, access links that never drop, RED one way between the routers. Depths in packets of PACKET_BYTES."""

    rate_bps: float
    delay_s: float
    access_rate_bps: float
    access_delay_s: float
    sink_delay_s: float
    minth_pkts: int
    maxth_pkts: int
    buffer_pkts: int
    maxp: float
    byte_mode: bool
    recovery: Literal["reno", "newreno"] = "newreno"
    reverse_loss: float | None = None
    """Share of packets lost between the left router and the sender; none: the topology has no such link."""


@dataclass(frozen=True, slots=True)
class Case:
    """One setting. `flows` run the scheme's TCP and `plain_flows` NewReno without ECN."""

    key: str
    network: Network
    scheme: str
    """The scheme of the router."""
    flows: int
    plain_flows: int = 0
    becnthresh_pkts: int | None = None
    quick: bool = False
    start_spread_s: float = 1.0
    """Each flow starts at a random time within this."""
    warmup_s: float = 100.0
    duration_s: float = 500.0

    @property
    def in_ns2(self) -> bool:
        """Whether stock ns-2 has the scheme: it knows nothing of source quench."""
        return self.scheme in ("red", "ecn")

    @property
    def group(self) -> str:
        """The TCP of `flows`, and the name of their group."""
        return scheme_of(self.scheme).host_algorithm


def _network(row: declared.Row) -> Network:
    def in_pkts(threshold: str) -> int:
        return round(parse_depth(threshold).in_pkts(PACKET_BYTES))

    return Network(
        rate_bps=float(row.rate_bps),
        delay_s=row.delay_s,
        access_rate_bps=float(row.source.rate_bps),
        access_delay_s=row.source.delay_s,
        sink_delay_s=row.sink.delay_s,
        minth_pkts=in_pkts(row.thresholds.minth),
        maxth_pkts=in_pkts(row.thresholds.maxth),
        buffer_pkts=round(row.buffer.in_pkts(PACKET_BYTES)),
        maxp=row.thresholds.maxp,
        byte_mode=row.thresholds.byte_mode,
    )


N1 = _network(declared.N1)
N1_LONG = replace(N1, delay_s=0.25)
N2 = replace(_network(declared.N2), reverse_loss=0.0)
MF = replace(_network(declared.MF), recovery="reno")
MF_SHORT = replace(MF, minth_pkts=1, maxth_pkts=4, buffer_pkts=50)


def all_cases() -> list[Case]:
    """Everything that is compared, RED and ECN before what stock ns-2 lacks."""
    return [*_dumbbells(), *_reverse_losses(), *_multilevel(), *_quenches()]


def _dumbbells() -> list[Case]:
    cases = []
    for name, network in (("40ms", N1), ("250ms", N1_LONG)):
        for flows in range(10, 50, 5):
            for scheme in ("red", "ecn"):
                quick = flows == 45 or (network is N1 and flows in (10, 25))
                cases.append(Case(f"n1-{name}-{flows}-{scheme}", network, scheme, flows, quick=quick))
    cases.extend(
        Case(f"n1-mix-{flows}-ecn", N1, "ecn", flows // 2, flows // 2, quick=flows == 40) for flows in (40, 46)
    )
    return cases


def _reverse_losses() -> list[Case]:
    return [
        Case(
            f"n2-loss-{percent}-{scheme}", replace(N2, reverse_loss=percent / 100), scheme, 1, quick=percent in (0, 10)
        )
        for percent in range(0, 12, 2)
        for scheme in ("red", "ecn")
    ]


def _multilevel() -> list[Case]:
    """MF of Durresi et al. with one level: the paper leaves the number of flows and the buffer open."""
    return [
        Case(
            f"mf-{network.minth_pkts}-{network.maxth_pkts}-{flows}-{scheme}", network, scheme, flows, quick=flows == 10
        )
        for network, flows in ((MF, 10), (MF, 20), (MF_SHORT, 10))
        for scheme in ("red", "ecn")
    ]


def _quenches() -> list[Case]:
    cases = [Case(f"n1-40ms-{flows}-becn", N1, "becn", flows, quick=flows == 45) for flows in (10, 45)]
    cases.append(Case("n1-250ms-45-becn", N1_LONG, "becn", 45, quick=True))
    cases.extend(
        Case(f"n1-mix-{flows}-becn", N1, "becn", flows // 2, flows // 2, quick=flows == 40) for flows in (40, 46)
    )
    for kilobytes in (20, 40):
        for flows in (10, 45):
            key = f"n1-40ms-{flows}-ecn-becn-{kilobytes}KB"
            cases.append(Case(key, N1, "ecn-becn", flows, becnthresh_pkts=kilobytes, quick=flows == 45))
    for kilobytes in (20, 40):
        key = f"n1-mix-46-ecn-becn-{kilobytes}KB"
        cases.append(Case(key, N1, "ecn-becn", 23, 23, becnthresh_pkts=kilobytes))
    return cases
