# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The simulations that can be watched by name."""

import pytest
from quench.errors import ConfigError
from quench_experiments.definition import load
from quench_experiments.live.networks import ENDLESS_S, find
from quench_experiments.simulation.running import RunningSimulation
from quench_experiments.simulation.source import WITH_CONNECTIONS
from quench_topologies.papers.catalogue import TOPOLOGIES

RUN = "P1.B/becn/n=25/seed=3"


@pytest.mark.parametrize("name", TOPOLOGIES)
def test_each_network_has_a_load_that_fills_its_queue(name: str) -> None:
    title, scenario = find(name, "ecn-becn", 7)
    assert (title, scenario.seed, scenario.duration_s) == (f"{name}/ecn-becn/seed=7", 7, ENDLESS_S)
    assert not any({"stop_s", "bytes"} & source.settings.keys() for source in scenario.sources)
    simulation = RunningSimulation(scenario)
    simulation.run_until(30.0)
    seen = simulation.look()
    managed = [name for router in scenario.routers for name in router.profiles]
    assert managed
    averages = [
        port["queues"][0]["average_pkts"] for port in seen["ports"] for name in managed if name == port["direction"]
    ]
    assert max(averages, default=1.0) > 0.5
    kinds = {source.name: source.kind for source in scenario.sources}
    windows = [source["window"] for source in seen["sources"] if kinds[source["name"]] in WITH_CONNECTIONS]
    assert all(window is not None for window in windows)
    assert windows


def test_of_an_experiment_it_is_the_first_run_of_a_scheme_or_the_one_that_is_named() -> None:
    title, scenario = find("P1.B")
    first = next(iter(load("P1.B").labels()))
    assert title == first
    assert scenario.seed == 1
    assert scenario.router("r1").profiles == load("P1.B").setup_of(first).scenario(1).router("r1").profiles
    assert find("P1.B", "becn")[0].startswith("P1.B/becn/")
    assert find("P1.B", None, 9)[1].seed == 9
    title, scenario = find(RUN)
    assert (title, scenario.seed, len(scenario.sources)) == (RUN, 3, 25)
    assert find(RUN, None, 4)[0] == RUN.replace("seed=3", "seed=4")


@pytest.mark.parametrize(
    ("name", "scheme", "sentence"),
    [
        ("n3", None, "--simulate n3: choose one of n1, n2, mp, g3, vw, or what 'quench experiment list' shows"),
        ("n1", "avq", "--scheme avq: choose one of taildrop, plain, ecn"),
        ("P1.B", "avq", "--scheme avq: P1.B has plain, "),
        ("P1.B/nonsense", None, "--simulate P1.B/nonsense: no such run: 'quench experiment show P1.B --runs'"),
        (RUN, "ecn", "--scheme: the run's id says the scheme already"),
        ("none.yaml", None, "none.yaml"),
        ("P3.6", None, "P3.6 is computed: it has no network"),
    ],
)
def test_others_are_refused_in_one_line(name: str, scheme: str | None, sentence: str) -> None:
    with pytest.raises(ConfigError) as caught:
        find(name, scheme)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)
