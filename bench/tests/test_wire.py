# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The wire bench with real packets: every one is accounted for. How fast they were is not looked at."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from wire_devices import Bridge, Device, Forwarder, Switch
from wire_figures import wire_figures
from wire_measure import Cores, Wire
from wire_network import Network, network

SECONDS = 0.1
LOAD_PKTS_PER_S = 2000.0


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Network]:
    with network(2, tmp_path_factory.mktemp("network")) as found:
        yield found


@pytest.fixture(scope="module")
def wire(made: Network) -> Wire:
    return Wire(made, Cores.shared_out(1), SECONDS)


@pytest.mark.netns
@pytest.mark.parametrize(
    "device",
    [
        Forwarder(),
        Bridge(),
        Switch("forward.p4", quench=False),
        Switch("quench.p4, profile", profile=True),
    ],
    ids=lambda device: device.name,
)
def test_all_packets_of_both_pairs_are_accounted_for(made: Network, wire: Wire, device: Device, tmp_path: Path) -> None:
    with device.running(made, Cores.shared_out(1).device, tmp_path) as running:
        rate = wire.rate(running, 60)
        trips = wire.round_trip(running, LOAD_PKTS_PER_S)
        tcp = wire.tcp()
    assert rate["arrived"] > 0
    assert rate["unaccounted"] == 0
    assert rate["disordered"] == 0
    assert trips["number"] > 0
    assert not tcp["stalled"]
    assert tcp["gbit_per_s"] > 0


def did(pkts_per_s: float, *, stalled: bool = False) -> dict[str, Any]:
    """The results of a device in a round."""
    return {
        "rates": [{"bytes": 60, "pkts_per_s": pkts_per_s, "pkts_per_core_s": 2 * pkts_per_s}],
        "tcp_offloads": {"stalled": stalled, "gbit_per_s": 0.0 if stalled else 8.0},
    }


def test_rounds_make_figures_with_ratios_to_the_yardstick_of_the_same_round() -> None:
    rounds = [
        {"forwarder": did(100.0, stalled=True), "kernel bridge": did(50.0), "quench.p4": did(80.0)},
        {"quench.p4": did(60.0, stalled=True), "kernel bridge": did(50.0), "forwarder": did(200.0, stalled=True)},
    ]
    gaps = {"rate_bps": 1e6, "ideal_us": 1000.0, "deviation_us": 10.0}
    pacing = [[{**gaps, "over_asked": 0.99}], [{**gaps, "over_asked": 1.02}]]
    figures = {figure.name: figure for figure in wire_figures(rounds, pacing)}
    ratio = figures["quench.p4, 60 B, over the forwarder"]
    assert (ratio.values, ratio.kind, ratio.better) == ((0.8, 0.3), "ratio", "more")
    assert figures["quench.p4, 60 B, by processor time"].values == (160.0, 120.0)
    # TCP that stalls has no rate; large frames are compared with the bridge, which takes them.
    assert figures["quench.p4, TCP with offloads, over the kernel bridge"].values == (1.0, 0.0)
    assert figures["paced at 1 Mb/s, error of the rate"].values == pytest.approx((0.01, 0.02))
    assert "quench.p4, 512 B" not in figures
