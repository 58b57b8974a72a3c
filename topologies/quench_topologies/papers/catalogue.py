# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The papers' topologies by name."""

from quench_topologies.errors import TopologyError
from quench_topologies.papers.dumbbell import N1, N2
from quench_topologies.papers.paper_network import PaperNetwork
from quench_topologies.papers.parking_lot import MP
from quench_topologies.papers.three_links import G3
from quench_topologies.papers.voice_net import VW

TOPOLOGIES = {topology.name: topology for topology in (N1, N2, MP, G3, VW)}


def find_topology(name: str) -> PaperNetwork:
    """The topology of a name. Raises TopologyError."""
    try:
        return TOPOLOGIES[name]
    except KeyError:
        raise TopologyError(f"--topology {name}: choose one of {', '.join(TOPOLOGIES)}") from None
