# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A simulation's series as a recording: the same numbers, with the scenario's ports, rates and profiles."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from quench.errors import ConfigError
from quench_experiments.simulation.recording import read_recording
from quench_experiments.simulation.result import SCENARIO_KEY, SERIES_FILE, Result
from quench_experiments.simulation.run import simulate
from quench_experiments.simulation.scenario import Scenario
from simulated import n1

MEASURE = {"series": ["bottleneck.ab", "bottleneck.ba"], "cwnd": True}
SLOWER = [{"at_s": 4.0, "link": "bottleneck", "direction": "ab", "rate_bps": 5e6}]


@pytest.fixture(scope="module")
def result() -> Result:
    return simulate(Scenario.parse(n1("ecn-becn", flows=12, duration_s=8.0) | {"measure": MEASURE, "changes": SLOWER}))


@pytest.fixture(scope="module")
def folder(result: Result, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("recording")
    result.to_parquet(made)
    return made


def test_the_samples_are_the_series(result: Result, folder: Path) -> None:
    recording = read_recording(folder)
    depth = result.series["bottleneck.ab.queue_pkts"]
    assert recording.times_s == depth.time_s.tolist()
    samples = [recording.sample(index) for index in range(len(recording.times_s))]
    depths = [sample["ports"][0]["queues"][0]["depth_pkts"] for sample in samples]
    assert depths == depth.value.tolist()
    windows = result.series["source.f0.cwnd_pkts"]
    shown = [flow["cwnd_pkts"] for sample in samples for flow in sample["flows"] if flow["flow"] == "f0"]
    assert shown[-len(windows.value) :] == pytest.approx(windows.value.tolist(), abs=0.001)
    marked = result.series["bottleneck.ab.marked_pkts"].value
    rates = [sample["ports"][0]["marked_pps"] or 0.0 for sample in samples]
    assert rates[-1] == pytest.approx(marked[-1] - marked[-11], abs=0.01)
    assert all(0 <= (sample["ports"][0]["utilisation"] or 0) <= 1 for sample in samples)
    assert max(flow["reductions"] or 0 for flow in samples[-1]["flows"]) > 0


def test_the_layout_is_the_scenarios_at_each_moment(folder: Path) -> None:
    recording = read_recording(folder / SERIES_FILE)
    before, after = recording.layout(1.0), recording.layout(5.0)
    (port,) = before["switches"][0]["ports"]
    assert (before["switches"][0]["switch"], port["port"], port["rate_bps"]) == ("r1", 1, 10_000_000)
    assert after["switches"][0]["ports"][0]["rate_bps"] == 5_000_000
    profile = port["queues"][0]["profile"]
    assert profile is not None
    assert [each["name"] for each in profile["thresholds"]] == ["minth", "maxth", "becnthresh", "2 maxth"]
    assert before["switches"][1]["ports"][0]["queues"][0]["profile"] is None
    assert [event["text"] for event in recording.events] == ["r1 port 1: rate 5Mbps"]


def changed(folder: Path, place: Path, change: Callable[[pa.Table], pa.Table]) -> Path:
    path = place / SERIES_FILE
    pq.write_table(change(pq.read_table(folder / SERIES_FILE)), path)
    return path


def with_scenario(table: pa.Table, scenario: bytes) -> pa.Table:
    return table.replace_schema_metadata({SCENARIO_KEY: scenario})


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda table: table.replace_schema_metadata({}), "does not say its scenario: run the simulation again"),
        (lambda table: with_scenario(table, b"{}"), "no table of a simulation: duration_s: Field required"),
        (lambda table: with_scenario(table, b"\xff"), "no table of a simulation"),
        (lambda table: table.drop_columns(["value"]), "no table of a simulation"),
        (lambda table: table.take(np.arange(len(table))[::-1]), "its times are not in order"),
        (lambda table: pa.concat_tables([table, table]), "its times are not in order"),
    ],
)
def test_a_file_that_is_something_else_is_one_line(
    folder: Path, tmp_path: Path, change: Callable[[Any], Any], sentence: str
) -> None:
    with pytest.raises(ConfigError, match=sentence) as caught:
        read_recording(changed(folder, tmp_path, change))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" + bytes(100) + b"PAR1", b"time_s,value\n"])
def test_bytes_that_are_no_parquet_are_one_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / SERIES_FILE
    path.write_bytes(content)
    with pytest.raises(ConfigError, match="no table of a simulation"):
        read_recording(path)


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        read_recording(tmp_path)
