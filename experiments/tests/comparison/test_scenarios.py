# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Both simulators get the same network, as it is declared."""

from dataclasses import replace
from pathlib import Path

import pytest
from quench_experiments.comparison.cases import Case, all_cases
from quench_experiments.comparison.ns2 import NETWORKS, command, networks_tcl
from quench_experiments.comparison.ours import BOTTLENECK, scenario

CASES = {case.key: case for case in all_cases()}


def options(case: Case, seed: int = 1) -> dict[str, str]:
    return dict(word.split("=", 1) for word in command(Path("/ns"), case, seed)[2:])


def test_keys_are_unique() -> None:
    assert len(CASES) == len(all_cases())


@pytest.mark.parametrize("key", [case.key for case in all_cases() if case.in_ns2])
def test_the_bottleneck_is_the_same_in_both(key: str) -> None:
    case = CASES[key]
    theirs, ours = options(case), scenario(case, seed=1)
    (bottleneck,) = (link for link in ours.links if link.name == BOTTLENECK)
    assert float(theirs["rate"]) == bottleneck.ab.rate_bps == bottleneck.ba.rate_bps
    assert float(theirs["delay"]) == bottleneck.delay_s
    assert int(theirs["buffer"]) == bottleneck.ab.buffer_pkts
    profile = ours.routers[0].profiles["bottleneck.ab"]
    assert profile.scheme == ("ecn" if theirs["ecn"] == "1" else "red")
    assert profile.mark_at == "tail"
    assert (profile.gentle, profile.wait) == (True, True)
    assert int(theirs["minth"]) == profile.minth.in_pkts(1000)
    assert int(theirs["maxth"]) == profile.maxth.in_pkts(1000)
    assert float(theirs["maxp"]) == profile.maxp
    assert profile.byte_mode == (theirs.get("byte_mode", "true") == "true")


def test_the_scripts_defaults_are_the_declared_networks() -> None:
    assert NETWORKS.read_text(encoding="utf-8") == networks_tcl()


def test_competing_flows_are_half_plain() -> None:
    case = CASES["n1-mix-46-becn"]
    stacks = [source.stack for source in scenario(case, seed=1).sources]
    assert (stacks.count("becn"), stacks.count("plain")) == (23, 23)
    assert options(CASES["n1-mix-46-ecn"])["plain_flows"] == "23"


def test_replies_of_n2_are_lost_between_router_and_sender() -> None:
    case = CASES["n2-loss-4-ecn"]
    assert options(case)["loss"] == "0.04"
    losses = {link.name: (link.ab.loss, link.ba.loss) for link in scenario(case, seed=1).links}
    assert losses == {"bottleneck": (0, 0), "in0": (0, 0.04), "out0": (0, 0)}


def test_flows_start_within_the_spread_and_by_the_seed() -> None:
    case = CASES["n1-40ms-45-ecn"]
    starts = [[source.start_s for source in scenario(case, seed).sources] for seed in (1, 1, 2)]
    assert starts[0] == starts[1] != starts[2]
    assert 0 <= min(starts[0]) < 0.2 < 0.8 < max(starts[0]) <= case.start_spread_s
    assert float(options(case)["start_spread"]) == case.start_spread_s


def test_becn_and_its_combination_have_their_own_hosts() -> None:
    combined = scenario(CASES["n1-40ms-10-ecn-becn-40KB"], seed=1)
    assert {source.stack for source in combined.sources} == {"ecn-becn"}
    profile = combined.routers[0].profiles["bottleneck.ab"]
    assert profile.becnthresh.in_pkts(1000) == 40
    assert combined.stacks["ecn-becn"].preset == "ns2-2001"


def test_flows_beyond_what_a_router_has_ports_for_share_access_links() -> None:
    many = replace(CASES["n1-40ms-45-ecn"], flows=1000)
    described = scenario(many, seed=1)
    assert len(described.sources) == 1000
    assert len(described.links) == 501
