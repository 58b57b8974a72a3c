# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The papers' topologies by name."""

from quench_topologies.dumbbell import N1, N2
from quench_topologies.errors import TopologyError
from quench_topologies.parking_lot import MP
from quench_topologies.three_links import G3
from quench_topologies.topology import Topology
from quench_topologies.voice_net import VW

TOPOLOGIES = {topology.name: topology for topology in (N1, N2, MP, G3, VW)}


def find_topology(name: str) -> Topology:
    """The topology of a name. Raises TopologyError."""
    try:
        return TOPOLOGIES[name]
    except KeyError:
        raise TopologyError(f"--topology {name}: choose one of {', '.join(TOPOLOGIES)}") from None
