# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Programs that are not Quench's in the simulator, and the comparisons in examples/."""

import pickle
import shutil
from pathlib import Path
from typing import Any

import pytest
from finsy.proto import p4r
from quench.errors import ConfigError
from quench.programs import load_program
from quench_experiments.cli.app import app
from quench_experiments.definition import Experiment, load
from quench_experiments.definition.experiment import Run
from quench_experiments.errors import ScenarioError, SimulationError
from quench_experiments.simulation.chip import chip_of
from quench_experiments.simulation.install import Paths, follow, install
from quench_experiments.simulation.program import of_scenario
from quench_experiments.simulation.run import simulate
from quench_experiments.simulation.scenario import Scenario
from quench_simulator import Simulation
from quench_switch import compile_p4
from quench_switch.p4runtime.entities import Entities
from simulated import n1
from typer.testing import CliRunner

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
NAMES = sorted(path.parent.name for path in EXAMPLES.glob("*/*.stf"))
BOTTLENECK = "link.bottleneck.ab"


def comparison(name: str) -> Experiment:
    return load(EXAMPLES / name / f"compare-{name}.yaml")


def run_of(name: str, flows: int, scheme: str | None = None) -> Run:
    runs = comparison(name).runs(quick=True)
    return next(run for run in runs if run.labels["scheme"] == (scheme or name) and run.labels["n"] == flows)


@pytest.mark.parametrize("name", NAMES)
def test_a_comparison_has_30_lines_and_three_schemes(name: str) -> None:
    assert len((EXAMPLES / name / f"compare-{name}.yaml").read_text().splitlines()) <= 30
    assert {run.labels["scheme"] for run in comparison(name).runs()} == {"red", "ecn", name}


@pytest.mark.parametrize("name", NAMES)
def test_an_example_marks_and_the_senders_react(name: str) -> None:
    result = simulate(run_of(name, 20).scenario)
    metrics = result.metrics()
    assert metrics[f"{BOTTLENECK}.marked_pkts"] > 100
    assert metrics["group.ftp.reactions_ece"] > 100
    assert metrics[f"{BOTTLENECK}.ce_pkts"] == pytest.approx(metrics[f"{BOTTLENECK}.marked_pkts"], abs=100)
    assert metrics[f"{BOTTLENECK}.utilisation"] > 0.7


def test_pie_keeps_its_target_whatever_the_number_of_flows() -> None:
    delays_ms = [
        simulate(run_of("pie", flows).scenario).metrics()[f"{BOTTLENECK}.queue_mean_bytes"] * 0.0008
        for flows in (5, 40)
    ]
    assert delays_ms == [pytest.approx(15, abs=5)] * 2


def test_codel_keeps_a_slow_link_busy() -> None:
    """One packet takes longer than the target there: a queue of one is not standing."""
    for rate_bps in (64_000, 256_000):
        values = n1(flows=1, duration_s=300.0, warmup_s=60.0)
        values["program"] = load_program(EXAMPLES / "codel" / "codel.yaml")
        values["routers"][0] = {"name": "r1", "queue_settings": {BOTTLENECK.removeprefix("link."): {"target": "5ms"}}}
        values["links"][0] |= {"delay_s": 0.02, "ab": {"rate_bps": rate_bps, "buffer_pkts": 100}}
        values["stacks"]["tcp"] = {"preset": "modern", "algorithm": "ecn"}
        metrics = simulate(Scenario.parse(values)).metrics()
        assert metrics[f"{BOTTLENECK}.marked_pkts"] > 10
        assert metrics[f"{BOTTLENECK}.utilisation"] > 0.92


def test_a_scenario_carries_its_program_to_other_processes() -> None:
    scenario = run_of("codel", 5).scenario.model_copy(update={"duration_s": 22.0})
    again = pickle.loads(pickle.dumps(scenario))
    assert Scenario.parse(scenario.model_dump_json()) == scenario
    assert simulate(again).metrics() == simulate(scenario).metrics()


def test_what_egress_drops_is_a_loss_without_the_programs_counters(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    path = tmp_path / "examples" / "codel" / "codel.yaml"
    text = path.read_text()
    path.write_text(text[: text.index("counters:")])
    values = run_of("codel", 5).scenario.model_dump() | {"measure": {"series": ["bottleneck.ab"]}}
    # Without ECN, CoDel drops.
    values["stacks"]["scheme"] |= {"algorithm": "plain"}
    own = simulate(Scenario.parse(values))
    silent = simulate(Scenario.parse(values | {"program": load_program(path)}))
    counted, found = own.link("bottleneck.ab"), silent.link("bottleneck.ab")
    assert counted["dropped_pkts"] > 10
    assert counted["dropped_early_pkts"] == counted["dropped_pkts"] - counted["dropped_full_pkts"]
    assert "dropped_early_pkts" not in found
    for name in ("dropped_pkts", "loss", "offered_pkts", "offered_bytes"):
        assert found[name] == counted[name]
    assert counted["offered_pkts"] == pytest.approx(counted["tx_pkts"] + counted["dropped_pkts"], abs=100)
    drops = [each.series["bottleneck.ab.dropped_pkts"].value[-1] for each in (own, silent)]
    assert drops[0] == drops[1] > 10


def test_a_setting_is_swept_and_a_wrong_one_has_its_place(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    path = tmp_path / "examples" / "codel" / "compare-codel.yaml"
    text = path.read_text().replace("program: codel.yaml", "program: codel.yaml, profile: {target: $target}")
    text = text[: text.index("quotes:")].replace("sweep: {n:", "sweep: {target: [5ms, 20ms], n:")
    path.write_text(text)
    settings = {
        run.labels["target"]: run.scenario.routers[0].queue_settings["bottleneck.ab"]
        for run in load(path).runs()
        if run.labels["scheme"] == "codel"
    }
    assert settings == {"5ms": {"target": "5ms"}, "20ms": {"target": "20ms"}}
    path.write_text(text.replace("$target", "5"))
    with pytest.raises(ConfigError, match=r":13:\d+: schemes\.codel\.profile: target: 5 has no unit"):
        load(path)
    path.write_text(text.replace("codel.yaml, profile: {target: $target}", "gone.yaml"))
    with pytest.raises(ConfigError, match=r":13:\d+: schemes\.codel\.program: there is no program 'gone\.yaml'"):
        load(path)


def test_profiles_and_settings_belong_to_their_programs() -> None:
    own, quench = (run_of("pie", 5, scheme).scenario.model_dump() for scheme in ("pie", "ecn"))
    own["routers"][0]["profiles"] = quench["routers"][0]["profiles"]
    with pytest.raises(ScenarioError, match=r"^routers\.0\.profiles: PIE has queue_settings in place of profiles"):
        Scenario.parse(own)
    quench["routers"][0]["queue_settings"] = own["routers"][0]["queue_settings"]
    with pytest.raises(ScenarioError, match=r"^routers\.0\.queue_settings: they belong to a program"):
        Scenario.parse(quench)


def test_a_program_that_is_not_quenchs_is_refused_before_a_run(tmp_path: Path) -> None:
    output = compile_p4(str(EXAMPLES / "pie" / "pie.p4"), [], [])
    (tmp_path / "pie.json").write_text(output.json)
    (tmp_path / "pie.p4info.txtpb").write_text(output.p4info_text)
    with pytest.raises(SimulationError, match=r"pie\.json: it is not Quench's program: .*: run 'make p4', or descr"):
        simulate(run_of("pie", 5, "ecn").scenario, program=tmp_path / "pie.json")
    words = ["run", "P1.B", "--quick", "--program", str(tmp_path / "pie.json"), "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 1
    assert "it is not Quench's program" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "out").exists()


PROGRAMS = EXAMPLES.parent / "control_plane" / "tests" / "programs"
COMPARE = """\
title: A program that tells ingress of a queue
paper: Quench
section: tests
about: Does ingress hear of a long queue by clones?
topology: {kind: n1, delay: 40ms}
profile: {minth: 15KB, maxth: 45KB}
stack: {preset: linux-paper}
traffic:
  - {group: ftp, count: 5, from: servers, to: clients, start: [0s, 5s], source: {kind: ftp}}
schemes: {feedback: {program: feedback.yaml, profile: {depth: $depth}}}
sweep: {depth: [10pkts, 1000pkts]}
seeds: 1
duration: 40s
warmup: 10s
metrics:
  delay: {title: Mean delay, unit: ms, value: {scaled: link.bottleneck.ab.queue_mean_bytes, by: 0.0008}}
"""


def feedback(folder: Path, *changes: tuple[str, str]) -> list[Run]:
    """Runs with a depth that is reached, and with one that is longer than the buffer."""
    text = (PROGRAMS / "feedback.yaml").read_text().replace("p4: ", f"p4: {PROGRAMS}/")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (folder / "feedback.yaml").write_text(text)
    path = folder / "compare.yaml"
    path.write_text(COMPARE)
    return load(path).runs()


def test_clones_to_the_sessions_of_a_description_reach_ingress(tmp_path: Path) -> None:
    short, long = (simulate(run.scenario).metrics() for run in feedback(tmp_path))
    assert short[f"{BOTTLENECK}.dropped_early_pkts"] > 100
    assert long[f"{BOTTLENECK}.dropped_early_pkts"] == 0
    assert short[f"{BOTTLENECK}.queue_mean_bytes"] < 0.5 * long[f"{BOTTLENECK}.queue_mean_bytes"]


def ticks(folder: Path, period: str) -> Scenario:
    """A TNA program whose clock is 1000 times slower than time."""
    text = (PROGRAMS / "ticks.yaml").read_text().replace("p4: ", f"p4: {PROGRAMS}/")
    (folder / "ticks.yaml").write_text(text.replace("periodic=100us", f"periodic={period}"))
    path = folder / "compare.yaml"
    text = COMPARE.replace(
        "{feedback: {program: feedback.yaml, profile: {depth: $depth}}}", "{t: {program: ticks.yaml}}"
    )
    path.write_text(text.replace("sweep: {depth: [10pkts, 1000pkts]}\n", ""))
    return load(path).runs()[0].scenario


def test_the_packet_generator_is_the_clock_of_a_tna_program(tmp_path: Path) -> None:
    # Between 10 s and 40 s: one mark each 0.1 s, and each 0.5 s.
    for period, marks in (("100us", 300), ("500us", 60)):
        metrics = simulate(ticks(tmp_path, period)).metrics()
        assert metrics[f"{BOTTLENECK}.marked_pkts"] == pytest.approx(marks, abs=2)
        assert metrics[f"{BOTTLENECK}.ce_pkts"] == metrics[f"{BOTTLENECK}.marked_pkts"]


def test_a_period_that_the_chip_has_no_time_for_ends_the_run(tmp_path: Path) -> None:
    scenario = ticks(tmp_path, "1ns,packets=2")
    with pytest.raises(SimulationError, match="make 2000000 packets a second: 1000000 are the most"):
        simulate(scenario)


def test_a_clone_to_a_session_that_nobody_made_ends_the_run_with_its_number(tmp_path: Path) -> None:
    run = feedback(tmp_path, ("clone_session: $port, ports: [$port]", "clone_session: 500, ports: [1]"))[0]
    with pytest.raises(
        SimulationError, match=r"clones to session \d+, which nobody made: its description needs \{clone_"
    ):
        simulate(run.scenario)


def test_copies_to_a_session_without_ports_are_dropped_as_they_are_meant_to_be(tmp_path: Path) -> None:
    run = feedback(tmp_path, ("ports: [$port]}", "ports: []}"))[0]
    assert simulate(run.scenario).metrics()[f"{BOTTLENECK}.dropped_early_pkts"] == 0


def test_a_group_that_nobody_made_is_named(tmp_path: Path) -> None:
    # All packets have DSCP 0.
    diverted = ("{dscp: 62}, member: 2", "{dscp: 0}, member: 1")
    run = feedback(tmp_path, diverted, ("multicast_group: 7", "multicast_group: 8"))[0]
    with pytest.raises(SimulationError, match=r"sends to group 7, which nobody made: .*\{multicast_group: 7, ports: "):
        simulate(run.scenario)


def test_a_router_gets_all_that_a_switch_gets(tmp_path: Path) -> None:
    """As control_plane/tests/programs/test_program_entries.py has it of the controller."""
    scenario = feedback(tmp_path)[0].scenario
    assert scenario.program is not None
    compiled = of_scenario(scenario.program)
    chip = chip_of(compiled)
    simulation = Simulation(chip.simulator_json(scenario), compiled.json)
    router = scenario.routers[0]
    own, paths = simulation.router(router.name), Paths(scenario).routes(router.name)
    install(scenario, router, paths, chip, own)
    ports = scenario.ports(router.name)
    managed = ports["bottleneck.ab"]
    assert own.clone_sessions() == [(port, [(port, 0)], 0, 0) for port in sorted(ports.values())]
    assert own.multicast_groups() == [(7, [(1, 0), (2, 5)])]
    assert int.from_bytes(own.register_read("FeedbackEgress.depth", managed), "big") == 10
    assert own.register_read_all("FeedbackEgress.least_ttl") == [b"\2", b"\2"]
    assert own.meter_read("FeedbackIngress.rate", managed) == (2_500_000, 65_536, 2_500_000, 65_536, 0)
    assert own.value_set_read("FeedbackParser.protocols") == [[("exact", b"\x06")], [("exact", b"\x11")]]
    assert own.groups("FeedbackIngress.ways") == [(3, [(1, 1, None), (2, 2, None)], 0)]
    (colored,) = own.table_entries("FeedbackIngress.class")
    assert colored["meter"] == (1000, 100, 1000, 100, 0)
    addresses = {int.from_bytes(each["key"][1][1], "big") for each in own.table_entries("FeedbackIngress.route")}  # type: ignore[index]
    assert addresses == {int(host.address) for host in scenario.hosts}
    assert len(own.table_entries("FeedbackIngress.route")) == len(scenario.hosts) * len(ports)


def test_a_change_of_one_rate_writes_only_what_depends_on_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Written anew, a meter's buckets are full; written with its entry's action only, a direct meter has no rates."""
    more = """\
queue:
  - table: FeedbackIngress.class
    match: {dscp: $port}
    action: FeedbackIngress.color
    priority: 1
    rates: {cir: $rate_bps, cburst: 100, pir: $rate_bps, pburst: 100}
  - {meter: FeedbackIngress.rate, index: 5, rates: {cir: $rate_bps, cburst: 1, pir: $rate_bps, pburst: 1}}
"""
    scenario = feedback(tmp_path, ("queue:\n", more))[0].scenario
    assert scenario.program is not None
    compiled = of_scenario(scenario.program)
    chip = chip_of(compiled)
    router = scenario.routers[0]
    control = Simulation(chip.simulator_json(scenario), compiled.json).router(router.name)
    install(scenario, router, Paths(scenario).routes(router.name), chip, control)
    written: list[str] = []
    write = Entities.write

    def noted(self: Entities, update: p4r.Update) -> Any:
        written.append(str(update.entity.WhichOneof("entity")))
        return write(self, update)

    monkeypatch.setattr(Entities, "write", noted)
    follow(scenario, scenario.at_rate("bottleneck", "ab", 2e6), router.name, chip, control)
    assert sorted(written) == ["direct_meter_entry", "meter_entry"]
    meters = [each["meter"] for each in control.table_entries("FeedbackIngress.class")]
    assert sorted(each[0] for each in meters if each is not None) == [1000, 2_000_000]
    assert control.meter_read("FeedbackIngress.rate", 5) == (2_000_000, 1, 2_000_000, 1, 0)


def test_a_scenario_carries_entries_of_all_kinds_to_other_processes(tmp_path: Path) -> None:
    scenario = feedback(tmp_path)[0].scenario
    assert pickle.loads(pickle.dumps(scenario)) == scenario
    assert Scenario.parse(scenario.model_dump_json()) == scenario


DATACENTRE = """\
title: A tree with a program of the data centre
paper: Quench
section: tests
about: Do its hosts' packets cross routers that run it?
topology:
  {kind: leaf-spine, leaves: 2, spines: 2, rate: 100Gbps, access_rate: 100Gbps, delay: 1us, access_delay: 1us,
   buffer: 300KB}
stack: {rate_bps: 1.0e+11, base_rtt_s: 8.0e-6, segment_bytes: 1417}
traffic:
  - {group: ftp, count: 4, from: leaf1-hosts, to: leaf2-hosts, start: 0s, source: {kind: ftp}}
schemes: {own: {program: NAME, profile: {SETTINGS}}}
seeds: 1
duration: 2ms
warmup: 1ms
metrics:
  sent: {title: Sent, unit: pkts, value: group.ftp.received_pkts}
"""


def datacentre(folder: Path, name: str, settings: str = "") -> Scenario:
    path = folder / f"{name}.yaml"
    path.write_text(DATACENTRE.replace("NAME", name).replace("SETTINGS", settings))
    return load(path).runs()[0].scenario


@pytest.mark.parametrize(("name", "table"), [("bolt", "port_settings.bolt"), ("hpcc", "hpcc")])
def test_programs_of_the_data_centre_manage_queues_and_share_paths(tmp_path: Path, name: str, table: str) -> None:
    scenario = datacentre(tmp_path, name)
    assert scenario.program is not None
    compiled = of_scenario(scenario.program)
    chip = chip_of(compiled)
    chip.check(scenario)
    simulation = Simulation(chip.simulator_json(scenario), compiled.json)
    ingress = f"{name.capitalize()}Ingress"
    seeds = set()
    for router in scenario.routers:
        control = simulation.router(router.name)
        install(scenario, router, Paths(scenario).routes(router.name), chip, control)
        rows = control.table_entries(f"{ingress}.{table}")
        managed = {port for way, port in scenario.ports(router.name).items() if "spine" in way}
        assert {int.from_bytes(each["key"][0][1], "big") for each in rows} == managed  # type: ignore[index]
        assert len(control.table_entries(f"{ingress}.router.next_hop.next_hop")) == router.name.startswith("leaf")
        default = control.table_default(f"{ingress}.router.next_hop.flow_seed")
        seeds.add(str(default))
        assert router.queues == 2
    assert len(seeds) == len(scenario.routers)
    metrics = simulate(scenario).metrics()
    assert metrics["group.ftp.received_pkts"] > 1000
    uplinks = [f"link.leaf1-spine{number}.ab" for number in (1, 2)]
    assert all(metrics[f"{each}.tx_pkts"] > 1000 for each in uplinks), "flows share both"
    # Four flows begin with a window of 100 KB each. Without signals they would fill 300 KB, and lose packets.
    assert all(metrics[f"{each}.dropped_pkts"] == 0 for each in uplinks)
    queues = [metrics[f"{each}.queue_mean_bytes"] for each in uplinks]
    assert max(queues) < 15_000
    # All that tells a sender something went ahead of data.
    assert metrics["link.leaf1-spine1.ba.queue.1.tx_pkts"] + metrics["link.leaf1-spine2.ba.queue.1.tx_pkts"] > 1000


def test_what_a_port_cannot_have_is_one_line_before_a_run(tmp_path: Path) -> None:
    fault = "leaf1-spine1.ab: thr: 400KB is 400000, more than the port's buffer, 300000"
    with pytest.raises(ConfigError, match=rf"^[^\n]*bolt\.yaml:11:\d+: schemes\.own\.profile: {fault}$"):
        datacentre(tmp_path, "bolt", "thr: 400KB")
    scenario = datacentre(tmp_path, "bolt")
    leaf = scenario.router("leaf1")
    wrong = leaf.model_copy(update={"queue_settings": {name: {"thr": "400KB"} for name in leaf.queue_settings}})
    with pytest.raises(SimulationError, match=f"^router 'leaf1': queue_settings of {fault}$"):
        simulate(scenario.with_router(wrong))
    scenario = datacentre(tmp_path, "hpcc")
    slow = scenario.at_rate("leaf1-spine1", "ab", 30e9)
    with pytest.raises(SimulationError, match=r"leaf1-spine1\.ab: the port has 30000000000 bit/s: HPCC has 10Gbps"):
        simulate(slow)
    single = scenario.with_router(scenario.routers[0].model_copy(update={"queues": 1}))
    with pytest.raises(SimulationError, match="'leaf1': HPCC needs 2 queues of each port, and it has 1"):
        simulate(single)
    with pytest.raises(ConfigError, match="Bolt has no setting 'threshold'"):
        datacentre(tmp_path, "bolt", "threshold: 3KB")


ARRIVAL = """\
title: A second flow begins
paper: Quench
section: tests
about: How long does Bolt's queue become, and for how long?
topology: {kind: dumbbell}
stack: {rate_bps: 1.02e+11, base_rtt_s: 8.0e-6, initial_window_bytes: 100000, segment_bytes: 1459}
traffic:
  - {group: first, count: 1, from: servers, to: clients, start: 0s, source: {kind: ftp}}
  - {group: second, count: 1, from: servers, to: clients, start: 1ms, source: {kind: ftp}}
schemes:
  bolt: {program: bolt}
  no-src: {program: bolt, profile: {src: off}, stack: {source_notification: false}}
  no-sm: {program: bolt, profile: {sm: off}}
  late-src: {program: bolt, profile: {src_at_departure: on}}
seeds: 1
duration: 3ms
warmup: 0.5ms
measure: {series: [bottleneck.ab], interval: 0.1us}
metrics:
  peak: {title: Longest queue, unit: KB, value: {scaled: link.bottleneck.ab.queue_max_bytes, by: 0.001}}
"""
US_PER_BYTE = 8e-5
"""The time that a byte takes at 100 Gb/s."""


def test_bolts_queue_when_a_flow_begins_is_that_of_its_authors(tmp_path: Path) -> None:
    """Their figure: 5.0 us, 7.3 us after the flow began, and nothing at 14.5 us. Without its parts Bolt is worse."""
    (tmp_path / "arrival.yaml").write_text(ARRIVAL)
    peak_us, used = {}, {}
    for run in load(tmp_path / "arrival.yaml").runs():
        result, scheme = simulate(run.scenario), str(run.labels["scheme"])
        metrics = result.metrics()
        assert metrics["network.dropped_pkts"] == 0
        # SRCs are all that the router before the link makes, 41 bytes each over one link. Some are under way.
        assert metrics["network.signal_pkts"] == pytest.approx(metrics["network.clones"], abs=10)
        assert metrics["network.signal_bits"] == 8 * 41 * metrics["network.signal_pkts"]
        assert (metrics["network.signal_pkts"] > 50) == (scheme != "no-src")
        peak_us[scheme] = metrics[f"{BOTTLENECK}.queue_max_bytes"] * US_PER_BYTE
        used[scheme] = metrics[f"{BOTTLENECK}.utilisation"]
        if scheme == "bolt":
            series = result.series["bottleneck.ab.queue_bytes"]
            depths = [((at_s - 1e-3) * 1e6, depth) for at_s, depth in zip(series.time_s, series.value, strict=True)]
    assert peak_us["bolt"] == pytest.approx(5.0, rel=0.1)
    _, peak_at_us = max((depth, at_us) for at_us, depth in depths)
    assert peak_at_us == pytest.approx(7.3, rel=0.1)
    gone_us = next(at_us for at_us, depth in depths if at_us > peak_at_us and depth < 1500)
    assert gone_us == pytest.approx(14.5, rel=0.1)
    assert peak_us["late-src"] > 1.2 * peak_us["bolt"], "a signal that is late by the queue makes it longer"
    assert peak_us["no-src"] > 1.5 * peak_us["bolt"]
    assert used["no-sm"] < used["bolt"] - 0.02, "nobody takes the bandwidth that is left"


NICS = """\
title: Two flows out of one host
paper: Quench
section: tests
about: How long is the queue of a host's network card?
topology: {kind: star, hosts: 3, nics: on}
stack: {rate_bps: 1.0e+11, base_rtt_s: 8.0e-6, initial_window_bytes: 100000, segment_bytes: 1459}
traffic:
  - {group: first, from: hosts/2, to: hosts/1, start: 0s, source: {kind: ftp}}
  - {group: second, from: hosts/2, to: hosts/3, start: 0.1ms, source: {kind: ftp}}
schemes:
  bolt: {program: bolt}
  without: {program: bolt, nics: off}
seeds: 1
duration: 2ms
warmup: 0.5ms
measure: {queues: [to-hosts2.ba]}
metrics:
  notified: {title: Notifications by the card, value: router.hosts2-nic.clones}
"""


def test_senders_of_one_host_are_notified_by_its_own_network_card(tmp_path: Path) -> None:
    path = tmp_path / "nics.yaml"
    path.write_text(NICS)
    metrics = {str(run.labels["scheme"]): simulate(run.scenario).metrics() for run in load(path).runs()}
    own, without = metrics["bolt"], metrics["without"]
    assert own["router.hosts2-nic.clones"] > 100
    assert own["router.switch.clones"] == without["router.switch.clones"] == 0, "no queue is anywhere else"
    assert own["link.to-hosts2.ba.queue_p99_bytes"] < 10_000 < 200_000 < without["link.to-hosts2.ba.queue_p99_bytes"]
    # A notification of the host's own card is on no link: the host gets an ACK for each packet, and nothing else.
    back, out = (own[f"link.to-hosts2.{way}.tx_pkts"] for way in ("ab", "ba"))
    assert back == pytest.approx(out, abs=50)
    assert own["router.hosts1-nic.clones"] == 0
    for flow in ("first", "second"):
        assert own[f"group.{flow}.goodput_bps"] == pytest.approx(47.5e9, rel=0.05)
    assert "router.hosts2-nic.clones" not in without
    path.write_text(NICS.replace("kind: star, hosts: 3", "kind: fat-tree"))
    fault = r"topology\.fat-tree\.nics: Extra inputs are not permitted"
    with pytest.raises(ConfigError, match=rf"^[^\n]*nics\.yaml:5:\d+: {fault}$"):
        load(path)


def test_a_flow_that_ends_hands_its_bandwidth_over_within_a_round_trip(tmp_path: Path) -> None:
    """By ramp-up tokens alone: without them, and without supply tokens, the other flow grows by a packet in 8 us."""
    path = tmp_path / "arrival.yaml"
    without = "{program: bolt, profile: {sm: off, pru: off}, stack: {ramp_up: false}}"
    path.write_text(ARRIVAL.replace("  late-src:", f"  neither: {without}\n  late-src:"))
    after_gbps = {}
    for run in load(path).runs():
        scheme = str(run.labels["scheme"])
        if scheme not in ("no-sm", "neither"):
            continue
        values = run.scenario.model_dump(mode="json")
        _, second = values["sources"]
        second |= {"bytes": 12_500_000, "start_s": 0.0}
        values["measure"] |= {"cwnd": True, "series_interval_s": 5e-7}
        result = simulate(Scenario.parse(values))
        flight, sent = result.series[f"source.{second['name']}.flight_bytes"], result.series["bottleneck.ab.tx_bytes"]
        end_s = max(at_s for at_s, held in zip(flight.time_s, flight.value, strict=True) if held)
        bits = [8 * each for at_s, each in zip(sent.time_s, sent.value, strict=True) if end_s <= at_s <= end_s + 16e-6]
        after_gbps[scheme] = (bits[-1] - bits[0]) / 16e-6 / 1e9
    assert after_gbps["no-sm"] > 90
    assert after_gbps["neither"] < 60
