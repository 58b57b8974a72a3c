# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A simulation in steps: the same bytes as in one, changes at their moment, and nothing that grows."""

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from quench.profiles import parse_settings
from quench_experiments.errors import SimulationError
from quench_experiments.simulation.run import simulate
from quench_experiments.simulation.running import RunningSimulation
from quench_experiments.simulation.scenario import Scenario
from simulated import PROFILES, n1

BOTTLENECK = "bottleneck.ab"
LENGTH_S = 3.0
WATCHED = {"measure": {"series": [BOTTLENECK], "cwnd": True}}


def running(algorithm: str = "ecn", **changes: Any) -> RunningSimulation:
    return RunningSimulation(Scenario.parse(n1(algorithm, flows=12, warmup_s=0.0, **changes)))


def port(simulation: RunningSimulation) -> dict[str, Any]:
    found: dict[str, Any] = next(each for each in simulation.look()["ports"] if each["direction"] == BOTTLENECK)
    return found


def counted(simulation: RunningSimulation, counter: str) -> int:
    return sum(each["packets"] for each in port(simulation)["program"] if each["name"].endswith(counter))


def ran(simulation: RunningSimulation, *times_s: float, counter: str = "port_marked") -> list[int]:
    """The growth of a counter in each of these steps."""
    counts = [counted(simulation, counter)]
    for time_s in times_s:
        simulation.run_until(time_s)
        counts.append(counted(simulation, counter))
    return [after - before for before, after in pairwise(counts)]


def results(simulation: RunningSimulation) -> tuple[str, dict[str, bytes]]:
    """All numbers and all series."""
    result = simulation.result()
    series = {name: each.time_s.tobytes() + each.value.tobytes() for name, each in result.series.items()}
    return json.dumps(result.metrics()), series


@settings(max_examples=10)
@given(st.lists(st.floats(0.0, LENGTH_S), max_size=40), st.sampled_from(["ecn", "becn"]), st.integers(0, 1000))
def test_steps_and_looks_change_no_byte(stops_s: list[float], algorithm: str, seed: int) -> None:
    whole, stepped = (running(algorithm, duration_s=LENGTH_S, seed=seed, **WATCHED) for _ in range(2))
    whole.run_until(LENGTH_S)
    for stop_s in stops_s:
        stepped.run_until(stop_s)
        stepped.look()
    stepped.run_until(LENGTH_S)
    assert results(stepped) == results(whole)
    assert stepped.look() == whole.look()


def test_a_threshold_that_rises_ends_the_marks_from_that_moment_on() -> None:
    as_it_was, changed = running(duration_s=60.0), running(duration_s=60.0)
    before = ran(as_it_was, 10.0, 20.0)
    assert ran(changed, 10.0, 20.0) == before
    assert before[1] > 50, "the queue is congested"
    changed.change("r1", BOTTLENECK, parse_settings({**PROFILES["ecn"], "minth": "80KB", "maxth": "85KB"}))
    assert as_it_was.look() == changed.look(), "a change alone lets no time pass"
    assert ran(as_it_was, 30.0, 40.0)[1] > 50
    assert ran(changed, 30.0, 40.0)[1] == 0, "the average stays below 80 KB"
    assert counted(changed, "port_dropped_early") == 0


def test_changes_are_the_rows_that_a_scenario_with_them_would_have_had() -> None:
    """Before any packet, a change is the same as another beginning."""
    other = {**PROFILES["becn"], "minth": "5KB"}
    began, changed = running("becn", duration_s=5.0), running("becn", duration_s=5.0)
    changed.change("r1", BOTTLENECK, parse_settings(other), rate_bps=5_000_000, isq_mode="dataplane")
    values = n1("becn", flows=12, warmup_s=0.0, duration_s=5.0)
    values["routers"][0] |= {"profiles": {BOTTLENECK: other}, "isq": {"mode": "dataplane"}}
    values["links"][0]["ab"]["rate_bps"] = 5e6
    other_beginning = RunningSimulation(Scenario.parse(values))
    for each in (began, changed, other_beginning):
        each.run_until(5.0)
    assert changed.look() == other_beginning.look()
    assert changed.look() != began.look()
    assert changed.scenario == other_beginning.scenario


@pytest.mark.parametrize("mode", ["cpu", "dataplane", "off"])
def test_the_sender_of_source_quenches_can_be_changed(mode: Any) -> None:
    simulation = running("becn", duration_s=30.0)
    simulation.run_until(10.0)
    simulation.change("r1", BOTTLENECK, isq_mode=mode)
    # Answers of before are gone by then.
    simulation.run_until(10.5)
    own, sent = counted(simulation, "port_isq_sent"), simulation.tally("r1").isqs_sent.total()
    simulation.run_until(20.0)
    assert (counted(simulation, "port_isq_sent") > own) == (mode == "dataplane")
    assert (simulation.tally("r1").isqs_sent.total() > sent) == (mode == "cpu")


def test_a_slower_link_carries_less() -> None:
    simulation = running(duration_s=30.0)
    sent = []
    for rate_bps, until_s in ((None, 10.0), (2_000_000, 20.0)):
        if rate_bps is not None:
            simulation.change("r1", BOTTLENECK, rate_bps=rate_bps)
        before = port(simulation)["tx_bytes"]
        simulation.run_until(until_s)
        sent.append(port(simulation)["tx_bytes"] - before)
    assert sent[1] == pytest.approx(2_500_000, abs=3000)
    assert sent[0] > 2 * sent[1]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"settings": parse_settings({"scheme": "ecn", "minth": "20pkts"}), "rate_bps": 1000}, "profile of bottleneck"),
        ({"rate_bps": 10**16}, "must be 1 to 1e15"),
    ],
)
def test_a_change_that_is_refused_changes_nothing(change: dict[str, Any], sentence: str) -> None:
    simulation, other = running(), running()
    with pytest.raises(SimulationError, match=sentence):
        simulation.change("r1", BOTTLENECK, **change)
    assert simulation.scenario == other.scenario
    for each in (simulation, other):
        each.run_until(2.0)
    assert simulation.look() == other.look()


def test_what_is_forgotten_is_in_no_result() -> None:
    values = n1(flows=2, duration_s=20.0)
    for source in values["sources"]:
        source |= {"kind": "files", "file_bytes": 20_000, "pause_s": 0.1}
    simulation = RunningSimulation(Scenario.parse(values))
    simulation.run_until(10.0)
    assert len(simulation.result().records["files"]["source"]) > 10
    simulation.forget()
    assert len(simulation.result().records["files"]["source"]) == 0
    simulation.run_until(20.0)
    assert min(simulation.result().records["files"]["started_s"]) > 9


def test_one_run_is_a_whole_simulation() -> None:
    values = n1(flows=4)
    simulation = RunningSimulation(Scenario.parse(values))
    simulation.run_until(values["duration_s"])
    assert simulation.result().metrics() == simulate(Scenario.parse(values)).metrics()
