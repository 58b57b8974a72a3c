# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A few seconds of every experiment on the simulator: it runs, and has every metric that the file asks for."""

from collections.abc import Iterator

import pytest
from quench_experiments.definition import Experiment, keys
from quench_experiments.definition.expression import Metric, Operation
from quench_experiments.definition.measurable import measurable
from quench_experiments.definition.setup import Setup
from quench_experiments.runner.plan import estimated_packets
from quench_experiments.simulation.run import simulate
from quench_experiments.simulation.scenario import Scenario
from shipped import shipped

DURATION_S = 8.0
WARMUP_S = 1.0
LATEST_START_S = 0.5
MOST_PACKETS = 100_000
"""In a run of a data centre, about."""
SIMULATED = [key for key in keys() if not shipped(key).is_computed]


def shortened(scenario: Scenario) -> Scenario:
    """All sources begin at once, and a few seconds are enough, or a few packets of a data centre."""
    if scenario.duration_s < DURATION_S:
        share = min(1.0, MOST_PACKETS / estimated_packets(scenario))
        times = {"duration_s": scenario.duration_s * share, "warmup_s": scenario.warmup_s * share}
        sources = [source.model_copy(update={"start_s": source.start_s * share}) for source in scenario.sources]
        return scenario.model_copy(update={**times, "sources": tuple(sources)})
    sources = [
        source.model_copy(update={"start_s": min(source.start_s, LATEST_START_S)}) for source in scenario.sources
    ]
    changes = {"duration_s": DURATION_S, "warmup_s": WARMUP_S, "sources": tuple(sources)}
    return scenario.model_copy(update=changes)


def shortest_runs(experiment: Experiment) -> Iterator[tuple[Setup, Scenario]]:
    """For each part and scheme the point that comes last: the most flows, mostly."""
    for part in experiment.parts:
        last = {point.labels["scheme"]: point for point in part.points(quick=True)}
        for point in last.values():
            setup = part.setup(point, quick=True)
            yield setup, shortened(setup.scenario(seed=1))


def names_of(experiment: Experiment) -> set[str]:
    """The simulator's metrics that quotes and figures are made of."""
    definition = experiment.definition
    wanted: list[Operation] = [metric.value for metric in definition.metrics.values()]
    for quote in definition.quotes:
        wanted += [each for each in (quote.metric, quote.above, quote.below) if each is not None]
    wanted += [figure.y for figure in definition.figures if figure.kind != "time"]
    found = set()
    while wanted:
        expression = wanted.pop()
        wanted += [part for _, part in expression.parts()]
        if isinstance(expression, Metric):
            found.add(expression.metric)
    return found - definition.metrics.keys()


def ended(metrics: dict[str, float], part: str) -> float:
    """The messages of a part that ended: in so short a run perhaps none of a large size did."""
    return metrics.get(f"{part}.messages", 0) - metrics.get(f"{part}.messages_unfinished", 0)


@pytest.mark.parametrize("key", SIMULATED)
def test_it_runs_and_measures_what_it_quotes(key):
    experiment = shipped(key)
    measured: set[str] = set()
    of_messages: set[str] = set()
    with_ended: set[str] = set()
    for setup, scenario in shortest_runs(experiment):
        result = simulate(scenario)
        metrics = result.metrics()
        known = measurable(setup)
        assert [name for name in metrics if not known.has_metric(name)] == []
        assert result.series.keys() <= known.series
        measured |= metrics.keys()
        of_messages |= {part for part in known.parts if known.has_metric(f"{part}.messages")}
        with_ended |= {part for part in of_messages if ended(metrics, part)}
        busy = [name for name in ("bottleneck.ab", "hop2.ab") if f"link.{name}.utilisation" in metrics]
        assert all(metrics[f"link.{name}.utilisation"] > 0.1 for name in busy)
        assert all(f"{name}.queue_pkts" in result.series for name in scenario.measure.series)
        assert (not scenario.measure.cwnd) or any(name.endswith(".cwnd_pkts") for name in result.series)
    without = of_messages - with_ended
    assert not {name for name in names_of(experiment) - measured if name.rpartition(".")[0] not in without}


def test_figures_over_time_name_series_that_exist():
    experiment = shipped("P0.C")
    _, scenario = list(shortest_runs(experiment))[-1]
    series = simulate(scenario).series
    wanted = {figure.y.metric for figure in experiment.figures if figure.kind == "time"}
    assert wanted <= series.keys()
