# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Descriptions of programs that are not Quench's: their faults have places, their entries are right."""

from collections.abc import Iterator
from ipaddress import ip_network
from pathlib import Path

import pytest
from lab import ROOT, Lab, lab, wait_until
from quench.config import load_config
from quench.config.model import RouteConfig
from quench.errors import ConfigError, ControllerError
from quench.programs import load_program
from quench.programs.entities import ProgramError
from quench.service.controller import Controller
from test_isq import ipv4

EXAMPLES = ROOT / "examples"
CE = 0b11
MACS = bytes.fromhex("000000000101 000000000102")


@pytest.mark.parametrize("name", sorted(path.parent.name for path in EXAMPLES.glob("*/*.stf")))
def test_every_example_has_a_description_that_fits_its_program(name: str) -> None:
    assert load_program(EXAMPLES / name / f"{name}.yaml").description.counters.marked


def test_a_queue_gets_its_settings_in_the_programs_units() -> None:
    program = load_program(EXAMPLES / "pie" / "pie.yaml")
    (entry,) = program.queue(7, 0, 10_000_000, {"target": "20ms", "mark_below": 1})
    assert entry.match == {"port": 7}
    action = entry.action
    assert action is not None
    assert (action.args["target_us"], action.args["update_us"], action.args["alpha"]) == (20_000, 15_000, 537)
    assert action.args["mark_below"] == 2**32 - 1


def test_depths_become_packets_of_mean_size() -> None:
    program = load_program(EXAMPLES / "threshold" / "threshold.yaml")
    (entry,) = program.queue(1, 0, 10_000_000, {"depth": "15KB"})
    assert entry.action is not None
    assert entry.action.args == {"depth": 15}


def test_a_route_to_everything_has_no_key() -> None:
    program = load_program(EXAMPLES / "codel" / "codel.yaml")
    mac = "00:00:00:00:00:01"
    for prefix, keys in (("10.0.0.0/8", 1), ("0.0.0.0/0", 0)):
        route = RouteConfig(prefix=ip_network(prefix), port=2, source_mac=mac, destination_mac=mac)
        (entry,) = program.routes([route], [1, 2])
        encoded = entry.encode(program.p4_schema)
        assert len(encoded.table_entry.match) == keys
        assert not encoded.table_entry.is_default_action


HOPS = [{"port": port, "source_mac": "00:00:00:00:00:01", "destination_mac": "00:00:00:00:00:02"} for port in (1, 2)]


def test_a_description_without_next_hops_takes_one_for_a_route() -> None:
    program = load_program(EXAMPLES / "codel" / "codel.yaml")
    route = RouteConfig.model_validate({"prefix": "10.0.0.0/8", "next_hops": HOPS[:1]})
    assert len(program.routes([route], [1, 2])) == 1
    with pytest.raises(ProgramError, match=r"10\.0\.0\.0/8 has 2 next hops, and CoDel has no next_hops: give one"):
        program.routes([RouteConfig.model_validate({"prefix": "10.0.0.0/8", "next_hops": HOPS})], [1, 2])


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"depht": "15KB"}, "threshold has no setting 'depht': it has depth"),
        ({"depth": 15}, "depth: 15 has no unit: write it as 5KB, 9pkts, 9%, 5ms or 1bdp"),
        ({"depth": "15 apples"}, "depth: '15 apples'"),
        ({"depth": "20%"}, "depth: 20% needs the size of the buffer"),
        ({"depth": "1e30pkts"}, "depth: "),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused(settings: dict[str, object], fault: str) -> None:
    with pytest.raises(ValueError, match="dep") as caught:
        load_program(EXAMPLES / "threshold" / "threshold.yaml").queue(1, 0, 10_000_000, settings)
    assert fault in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("p4: threshold.p4", "p4: gone.p4", ":5:5: {folder}/gone.p4: No such file or directory"),
        ("p4: threshold.p4", "p4: broken.p4", "broken.p4:1:8: error: expected"),
        ("p4: threshold.p4", "p4: broken.json", "broken.p4info.txtpb: No such file or directory"),
        (
            "match: {destination: $prefix}",
            "match: {destination: $prefiks}",
            "route: $prefiks means nothing here: write $des",
        ),
        ("match: {destination: $prefix}", "match: {source: $prefix}", "does not fit the program: "),
        ("arguments: {depth: $depth}", "arguments: {depths: $depth}", "does not fit the program: "),
        ("arguments: {depth: $depth}", "arguments: {depth: 1000000}", "does not fit the program: "),
        ("marked: ThresholdEgress.marked", "marked: ThresholdEgress.mark", "counter ThresholdEgress.mark: "),
        ("default: 20pkts", "default: 20", ":8:32: settings.depth.default: "),
        ("default: 20pkts", "default: 20pkts, scale: 1.0e308", ":8:32: settings.depth.default: '20pkts' is too large"),
        ("counters: {", "counters: {dropped_early: ThresholdEgress.marked, ", "counters: a counter is named twice"),
        ("  depth: {", "  port: {", "settings.port: $port is given already"),
        ("title: threshold", "titel: threshold", ":4:8: titel: Extra inputs are not permitted"),
    ],
)
def test_a_fault_in_a_description_has_its_place(tmp_path: Path, old: str, new: str, fault: str) -> None:
    for name in ("threshold", "include"):
        (tmp_path / name).mkdir()
        for source in (EXAMPLES / name).iterdir():
            (tmp_path / name / source.name).write_text(source.read_text())
    folder = tmp_path / "threshold"
    (folder / "broken.p4").write_text("nothing\n")
    (folder / "broken.json").write_text("{}\n")
    path = folder / "threshold.yaml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(ConfigError) as caught:
        load_program(path)
    sentence = str(caught.value)
    assert fault.format(folder=folder) in sentence


CONFIG = f"""\
switches:
  - name: s1
    address: {{grpc}}
    pipeline: {{{{program: {EXAMPLES}/threshold/threshold.yaml}}}}
    router_address: 10.0.0.254
    ports:
      2: {{{{rate: 10Mbps, settings: {{{{depth: 0pkts}}}}}}}}
    routes:
      - {{{{prefix: 10.0.2.0/24, port: 2, source_mac: "00:00:00:00:02:01", destination_mac: "00:00:00:00:02:02"}}}}
socket: {{socket}}
metrics: {{metrics}}
"""


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("settings: {depth: 0pkts}", "profile: {scheme: taildrop}", "a port has 'settings'"),
        ("rate: 10Mbps, ", "rate: 10Mbps, profile: {scheme: taildrop}, ", "they take the place of profiles"),
        ("pipeline: {program:", "pipeline: {p4info: a, program:", "give 'p4info' and 'json', or 'program' alone"),
        ("    routes:", "    classes: [{dscp: 46, queue: 1}]\n    routes:", "only Quench's program has classes"),
    ],
)
def test_a_configuration_has_settings_for_such_a_program(tmp_path: Path, old: str, new: str, fault: str) -> None:
    path = tmp_path / "net.yaml"
    text = CONFIG.format(grpc="127.0.0.1:9559", socket=tmp_path / "s", metrics="127.0.0.1:9464")
    path.write_text(text)
    assert load_config(path).switches[0].ports[2].settings == {"depth": "0pkts"}
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(ConfigError, match=fault):
        load_config(path)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("0pkts", "1e9pkts", "port 2 of switch 's1': an entry of table ThresholdEgress.threshold does not fit"),
        ("0pkts", "20", "port 2 of switch 's1': depth: "),
        (
            "10.0.2.0/24",
            "2001:db8::/32",
            "switch 's1': an entry of table ThresholdIngress.route.ipv4_route does not fit",
        ),
    ],
)
def test_an_entry_that_does_not_fit_ends_the_controller_at_once(tmp_path: Path, old: str, new: str, fault: str) -> None:
    path = tmp_path / "net.yaml"
    text = CONFIG.format(grpc="127.0.0.1:9559", socket=tmp_path / "s", metrics="127.0.0.1:9464")
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(ConfigError) as caught:
        Controller(load_config(path))
    assert fault in str(caught.value)


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with lab(tmp_path_factory.mktemp("own"), CONFIG) as made:
        made.start_switch()
        made.start_controller()
        wait_until(made.connected, 60)
        yield made


def test_the_controller_programs_a_switch_with_it(network: Lab) -> None:
    network.send(ipv4(payload=bytes(980), source="10.0.1.1", tos=0b10, macs=MACS))
    arrived = network.receive(2)
    assert arrived is not None
    assert arrived[:6] == bytes.fromhex("000000000202")
    assert arrived[15] & 0b11 == CE
    (stats,) = network.client.call("stats")
    count = {"packets": 1, "bytes": len(arrived)}
    assert stats["ports"] == {"2": {"port_seen": count, "port_marked": count}}
    assert 'quench_port_marked_packets_total{port="2",switch="s1"} 1.0' in network.metrics()


def test_the_live_feed_shows_its_ports(network: Lab) -> None:
    place = {"epoch": "", "number": 0}

    def marking() -> bool:
        network.send(ipv4(payload=bytes(980), source="10.0.1.1", tos=0b10, macs=MACS))
        answer = network.client.call("feed", wait_s=1, **place)
        place.update(epoch=answer["epoch"], number=answer["number"])
        update = answer["update"]
        if update["layout"] is not None:
            (switch,) = update["layout"]["switches"]
            assert switch["isq_mode"] is None
            reason = "threshold does not report the depth of its queues."
            queues = [{"queue": 0, "profile": None, "reason": reason}]
            assert switch["ports"] == [{"port": 2, "rate_bps": 10_000_000, "queues": queues}]
        ports = [port for sample in update["samples"] for port in sample["ports"]]
        assert all(port["queues"][0]["depth_pkts"] is None for port in ports)
        return any(port["marked_pps"] and port["utilisation"] for port in ports)

    wait_until(marking, 60)


def test_profiles_of_such_a_switch_are_refused(network: Lab) -> None:
    profile = {"scheme": "red", "minth": "15KB", "maxth": "45KB"}
    with pytest.raises(ControllerError, match="runs threshold, which has no profiles"):
        network.client.call("thresholds.set", switch="s1", port=2, settings=profile)
