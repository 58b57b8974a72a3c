# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A paper's network with the defaults that commands use for it."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from quench_topologies.loaded_plan import LoadedPlan, LoadSettings
from quench_topologies.papers.declared import Row
from quench_topologies.plan import MODERN_TCP, PAPER_TCP, TcpPlan
from quench_topologies.thresholds import Thresholds


@dataclass(frozen=True, slots=True)
class DemoPath:
    """The path of a demo whose paper varies the flows: the demo computes them (``demo/setting.py``)."""

    delay_ns: int
    """The delay of the congested link, one way."""
    access_ns: int
    """The delay of the links to both hosts together, one way."""


@dataclass(frozen=True, slots=True)
class PaperNetwork:
    """One of the papers' networks, with its load."""

    name: str
    title: str
    """The title that people read."""
    build: Callable[[LoadSettings], LoadedPlan]
    row: Row
    scheme: str
    """The scheme that its paper is about."""
    pairs: int
    flows: int
    tcp: TcpPlan = PAPER_TCP
    demo_path: DemoPath | None = None
    """None: a demo has the paper's flows and delay."""

    def tcp_plan(self, *, paper: bool) -> TcpPlan:
        """The paper's TCP, or Linux's."""
        return self.tcp if paper else MODERN_TCP

    def thresholds_for(self, tcp: TcpPlan) -> Thresholds:
        """The thresholds; depths in bytes are counted in this TCP's packets."""
        return replace(self.row.thresholds, mean_packet_bytes=tcp.packet_bytes)
