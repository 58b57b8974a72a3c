# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Whole runs: N1 for a few seconds with each scheme, the same bytes twice, source quenches by either way."""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from quench_experiments.errors import SimulationError
from quench_experiments.simulation.program import load_program
from quench_experiments.simulation.result import Result, read_parquet
from quench_experiments.simulation.run import simulate
from quench_experiments.simulation.scenario import Scenario
from quench_simulator import Simulation
from quench_switch import compile_p4
from simulated import PROFILES, n1

BOTTLENECK = "bottleneck.ab"
ROOT = Path(__file__).parents[3]


def run(values: dict[str, Any]) -> Result:
    return simulate(Scenario.parse(values))


def crowded(algorithm: str, **changes: Any) -> dict[str, Any]:
    """Enough flows that the bottleneck is always busy."""
    return n1(algorithm, flows=25, duration_s=15.0, warmup_s=5.0) | changes


@pytest.mark.parametrize("algorithm", PROFILES)
def test_every_scheme_fills_the_bottleneck(algorithm: str) -> None:
    result = run(crowded(algorithm))
    link = result.link(BOTTLENECK)
    assert link["utilisation"] > 0.9
    # All that the bottleneck carried are the flows' data; a few packets are under way at both ends of the time.
    assert link["data_pkts"] == pytest.approx(sum(each["received_pkts"] for each in result.sources.values()), abs=30)
    assert result.groups["ftp"]["goodput_total_bps"] == pytest.approx(0.96 * link["throughput_bps"], rel=0.1)
    assert 0 < link["queue_mean_bytes"] < 90_000
    assert (link["marked_pkts"] > 0) == (algorithm != "plain")
    assert (link["dropped_early_pkts"] > 0) or algorithm != "plain"


@pytest.mark.parametrize("algorithm", ["becn", "ecn-becn"])
def test_source_quenches_reach_the_senders(algorithm: str) -> None:
    result = run(crowded(algorithm))
    metrics = result.metrics()
    assert metrics["link.bottleneck.ab.isqs_sent"] > 50
    assert metrics["group.ftp.reactions_isq"] > 10
    assert 0 < metrics["link.bottleneck.ab.isq_reverse_share"] < 0.2
    assert metrics["router.r1.isqs_marked"] <= metrics["router.r1.packet_ins"]


@pytest.mark.parametrize("mark_at", ["head", "tail"])
def test_the_bytes_of_the_moment_see_a_burst_that_the_average_misses(mark_at: str) -> None:
    """A step at 20 KB: the average follows the flows' first bursts too late, and fills the buffer of 90 KB."""
    most_bytes = {}
    for depth in ("average", "now"):
        values = crowded("ecn")
        step = {"scheme": "ecn", "minth": "20KB", "maxth": "20KB", "maxp": 1, "mark_at": mark_at, "depth": depth}
        values["routers"][0]["profiles"][BOTTLENECK] = step
        most_bytes[depth] = run(values).link(BOTTLENECK)["queue_max_bytes"]
    assert most_bytes["now"] < 60_000 < 80_000 < most_bytes["average"]


def test_a_program_without_the_bytes_of_the_moment_is_refused(tmp_path: Path) -> None:
    plain = compile_p4(str(ROOT / "p4src" / "quench.p4"))
    (tmp_path / "quench.json").write_text(plain.json)
    (tmp_path / "quench.p4info.txtpb").write_text(plain.p4info_text)
    values = n1("ecn", flows=1)
    profiles = values["routers"][0]["profiles"]
    profiles[BOTTLENECK] = profiles[BOTTLENECK] | {"depth": "now"}
    with pytest.raises(SimulationError, match="depth now: the switch's program does not know the bytes that wait"):
        simulate(Scenario.parse(values), program=tmp_path / "quench.json")


def test_no_source_quenches_where_they_are_off() -> None:
    values = crowded("becn")
    values["routers"][0]["isq"] = {"mode": "off"}
    metrics = run(values).metrics()
    assert (metrics["link.bottleneck.ab.isqs_sent"], metrics["group.ftp.reactions_isq"]) == (0, 0)
    assert metrics["router.r1.packet_ins"] > 0


@pytest.mark.parametrize(
    "isq", [{"total": {"rate": 1, "burst": 1}}, {"mode": "dataplane", "per_queue": {"rate": 1, "burst": 1}}]
)
def test_source_quenches_that_a_limit_forbids_are_counted(isq: dict[str, Any]) -> None:
    values = crowded("becn")
    values["routers"][0]["isq"] = isq
    metrics = run(values).metrics()
    assert metrics["link.bottleneck.ab.isqs_sent"] <= 11
    assert metrics["router.r1.isqs_limited"] > 100


def test_a_clock_and_a_delay_of_0_are_exact() -> None:
    values = n1("ecn", flows=2, duration_s=3.0)
    values["stacks"]["tcp"] = {"preset": "modern", "clock_s": 0, "delayed_ack_s": 0}
    assert run(values).groups["ftp"]["goodput_total_bps"] > 1e6


def test_a_network_without_hosts_carries_nothing() -> None:
    assert run(n1(flows=0)).link(BOTTLENECK)["utilisation"] == 0


def test_a_run_whose_clock_stands_still_ends() -> None:
    values = {
        "duration_s": 1,
        "hosts": [{"name": "a", "address": "10.0.0.1"}, {"name": "b", "address": "10.0.1.1"}],
        "links": [{"name": "x", "a": "a", "b": "b", "delay_s": 0}],
        "stacks": {"t": {}},
        "sources": [{"name": "f", "kind": "ftp", "from": "a", "to": "b", "stack": "t", "start_s": 0.25}],
    }
    simulation = Simulation(json.dumps(values), load_program().json)
    sentence = r"^time: the clock stands at 0\.25 s: 3000000 events came without time passing, the last of them the .*;"
    with pytest.raises(ValueError, match=sentence):
        simulation.run_until(10**9, lambda *_: None)


def test_the_router_itself_can_send_the_source_quenches() -> None:
    """A controller without latency and the data plane do the same, but for what a recirculation takes."""
    found = {}
    for mode in ("cpu", "dataplane"):
        values = crowded("becn", duration_s=40.0, warmup_s=10.0)
        values["routers"][0]["isq"] = {"mode": mode, "per_queue": None, "per_source": None, "total": None}
        found[mode] = run(values).metrics()
    cpu, dataplane = found["cpu"], found["dataplane"]
    assert cpu["router.r1.isqs_dataplane"] == 0
    assert dataplane["router.r1.isqs_marked"] == 0
    for name, tolerance in (("isqs_sent", 0.1), ("utilisation", 0.01), ("queue_mean_bytes", 0.1), ("marked_pkts", 0.1)):
        assert cpu[f"link.{BOTTLENECK}.{name}"] == pytest.approx(dataplane[f"link.{BOTTLENECK}.{name}"], rel=tolerance)


def test_a_slow_controllers_source_quenches_come_late() -> None:
    def reactions(latency_s: float) -> float:
        values = crowded("becn")
        values["routers"][0]["controller_latency_s"] = latency_s
        return run(values).groups["ftp"]["reactions_isq"]

    # After three seconds hardly anything that is quoted is in flight.
    assert reactions(3.0) < reactions(0.0) / 10


def full(**changes: Any) -> dict[str, Any]:
    """With all that a result can have."""
    measure = {"series": [BOTTLENECK], "cwnd": True, "series_interval_s": 0.05}
    values = crowded("ecn-becn", measure=measure, duration_s=8.0, warmup_s=2.0)
    web = {"name": "web", "kind": "web", "servers": ["s0"], "clients": ["c0"], "stack": "tcp", "object_pkts": 8}
    values["sources"].append(web | {"packet_bytes": 960, "inter_session_s": 0.2})
    values["links"][0]["ab"]["loss"] = 0.001
    return values | changes


def test_the_same_scenario_gives_the_same_bytes(tmp_path: Path) -> None:
    first, second = (
        {path.name: path.read_bytes() for path in run(full()).to_parquet(tmp_path / name)} for name in ("1", "2")
    )
    assert set(first) == {"metrics.parquet", "series.parquet", "objects.parquet", "distributions.parquet"}
    assert first == second


def test_another_seed_gives_another_run() -> None:
    assert run(full(seed=1)).metrics() != run(full(seed=2)).metrics()


def test_series_have_the_times_that_were_asked_for() -> None:
    result = run(full())
    queue = result.series["bottleneck.ab.queue_pkts"]
    assert np.allclose(np.diff(queue.time_s), 0.05)
    assert queue.time_s[-1] == pytest.approx(8.0, abs=0.06)
    assert queue.value.max() > 5
    windows = [name for name in result.series if name.endswith(".cwnd_pkts")]
    assert "source.f0.cwnd_pkts" in windows


def test_tables_are_the_same_for_pandas_and_in_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = run(full())
    frames = result.to_pandas()
    files = result.to_parquet(tmp_path)
    assert {f"{name}.parquet" for name in frames} == {path.name for path in files}
    for path in files:
        table, frame = read_parquet(path), frames[path.stem]
        assert list(frame.columns) == list(table)
        assert all((frame[name].to_numpy() == table[name]).all() for name in ("series", "name") if name in table)
        assert len(frame) == len(next(iter(table.values()))) > 0
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="to_pandas needs pandas, which is not installed: pip install pandas"):
        result.to_pandas()


def test_series_are_drawn_a_panel_for_each_quantity() -> None:
    result = run(full())
    drawn = result.plot("bottleneck.ab.queue_pkts", "source.f0.cwnd_pkts", "source.f1.cwnd_pkts")
    assert [axes.get_ylabel() for axes in drawn.axes] == ["Queue (packets)", "Window (packets)"]
    assert [len(axes.lines) for axes in drawn.axes] == [1, 2]
    (queue,) = drawn.axes[0].lines
    assert list(queue.get_ydata()) == result.series["bottleneck.ab.queue_pkts"].value.tolist()
    with pytest.raises(SimulationError, match=r"bottleneck\.ab: there is no such series: the run has bottleneck"):
        result.plot("bottleneck.ab")
    with pytest.raises(SimulationError, match=r"series: name 40 or fewer, such as"):
        result.plot()
    values = full()
    values["measure"] = {}
    with pytest.raises(SimulationError, match=r"the run has no series: name links in the scenario's measure\.series"):
        run(values).plot()


def test_series_are_thinned_out_to_what_was_asked_for() -> None:
    values = full()
    values["measure"]["max_points"] = 20
    assert all(len(series.time_s) <= 20 for series in run(values).series.values())


def test_web_objects_are_recorded(tmp_path: Path) -> None:
    result = run(full())
    objects = result.records["objects"]
    assert set(objects["source"]) == {"web"}
    assert result.sources["web"]["objects"] == np.count_nonzero(objects["requested_s"] >= 2.0)
    result.to_parquet(tmp_path)
    again = read_parquet(tmp_path / "objects.parquet")
    assert all(np.array_equal(again[name], objects[name], equal_nan=name == "acked_s") for name in objects)


def test_a_capture_has_what_crossed_the_link(tmp_path: Path) -> None:
    path = tmp_path / "bottleneck.pcap"
    values = crowded("ecn", duration_s=1.0, warmup_s=0.0, measure={"pcap": [{"link": "bottleneck", "path": str(path)}]})
    result = run(values)
    data = path.read_bytes()
    assert data[:4] in (b"\x4d\x3c\xb2\xa1", b"\xa1\xb2\x3c\x4d")
    packets, place = 0, 24
    while place < len(data):
        place += 16 + int.from_bytes(data[place + 8 : place + 12], "little" if data[0] == 0x4D else "big")
        packets += 1
    both = (result.link(BOTTLENECK), result.link("bottleneck.ba"))
    assert packets == pytest.approx(sum(link["tx_pkts"] for link in both), abs=60)


def test_a_capture_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    pcap = [{"link": "bottleneck", "path": str(tmp_path / "no" / "x.pcap")}]
    with pytest.raises(SimulationError, match=r"measure\.pcap"):
        run(n1(flows=1, measure={"pcap": pcap}))


def test_what_the_simulator_refuses_is_an_error_of_one_line() -> None:
    values = n1(flows=1, stacks={"tcp": {"algorithm": "ecn", "parameters": {"no_such": 1}}})
    with pytest.raises(SimulationError, match="no_such") as caught:
        run(values)
    assert "\n" not in str(caught.value)


def test_a_program_that_is_not_compiled_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(SimulationError, match="run 'make p4'"):
        simulate(Scenario.parse(n1(flows=1)), program=tmp_path / "quench.json")


def test_voice_in_a_queue_of_its_own_is_not_delayed_by_files() -> None:
    """Two queues under self-clocked fair queuing, as in Misra and Ott's experiments; and one for both."""
    delays_s = {}
    for queues in (1, 2):
        values = crowded("ecn", duration_s=10.0, warmup_s=2.0)
        voice = {"name": "voice", "kind": "voip", "from": "s0", "to": "c0", "calls_per_s": 2, "holding_s": 20}
        values["sources"].append(voice | {"initial_calls": 40})
        if queues == 2:
            values["routers"][0] |= {"queues": 2, "classes": [{"dscp": 46, "queue": 1}]}
            values["routers"][0]["profiles"]["bottleneck.ab.1"] = {"scheme": "taildrop"}
            values["links"][0]["ab"] |= {"scheduler": "scfq", "weights": [0.2, 0.8]}
        result = run(values)
        assert result.sources["voice"]["received_pkts"] > 5000
        delays_s[queues] = result.sources["voice"]["call_delay_mean_s"]
        if queues == 2:
            metrics = result.metrics()
            assert metrics["link.bottleneck.ab.queue.1.tx_pkts"] >= result.sources["voice"]["received_pkts"] - 20
            assert metrics["link.bottleneck.ab.queue.0.queue_mean_pkts"] > 10
    # 44 ms of propagation and 2 transmissions of a packet at the bottleneck at most; the queue holds some 20 ms more.
    assert delays_s[2] < 0.047 < 0.06 < delays_s[1]


def test_changes_of_the_rate_take_place() -> None:
    changes = [{"at_s": 5.0, "link": "bottleneck", "direction": "ab", "rate_bps": 2e6}]
    link = run(crowded("ecn", changes=changes)).link(BOTTLENECK)
    # The packet that is being sent when the rate changes keeps the old one.
    assert link["capacity_bits"] == pytest.approx(10 * 2e6, rel=1e-3)
    assert link["throughput_bps"] == pytest.approx(2e6, rel=0.02)
    assert link["utilisation"] == pytest.approx(1, abs=0.02)
