# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from quench.config import load_config
from quench.config.model import Config, NetworkConfig
from quench.errors import ConfigError

GOOD = """\
switches:
  - name: s1
    address: 127.0.0.1:9559
    device_id: 1
    pipeline: {p4info: quench.p4info.txtpb, json: quench.json}
    router_address: 10.0.0.254
    ports:
      2: {rate: 10Mbps, profile: bottleneck}
    routes:
      - {prefix: 10.0.1.0/24, port: 1, source_mac: "00:00:00:00:00:01", destination_mac: "00:00:00:00:00:02"}
      - {prefix: "2001:db8::/64", port: 1, source_mac: "00:00:00:00:00:01", destination_mac: "00:00:00:00:00:02"}
profiles:
  bottleneck: {scheme: ecn-becn, minth: 15KB, becnthresh: 20KB, maxth: 45KB}
"""


HOP = '{port: 1, source_mac: "00:00:00:00:00:01", destination_mac: "00:00:00:00:00:02"}'


def load(tmp_path: Path, text: str):
    path = tmp_path / "net.yaml"
    path.write_text(text)
    return load_config(path)


def test_a_good_file(tmp_path: Path) -> None:
    config = load(tmp_path, GOOD)
    switch = config.switches[0]
    assert switch.pipeline.json_ == tmp_path / "quench.json"
    assert config.settings_of(switch.ports[2].profiles[0]).scheme == "ecn-becn"
    assert switch.ports[2].rate == 10_000_000


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "becnthresh: 20KB",
            "becnthresh: 50KB",
            "net.yaml:13:15: profiles.bottleneck.ecn-becn: becnthresh (50KB) must",
        ),
        (
            "rate: 10Mbps",
            "rate: fast",
            "net.yaml:8:17: switches.0.ports.2.rate: 'fast' is not a quantity: write it as 10Mbps",
        ),
        (
            "device_id: 1",
            "device_id: 1\n    tna: {recirculation_ports: [68, 5]}",
            "net.yaml:5:37: switches.0.tna.recirculation_ports.1: Input should be 68, 196, 324 or 452",
        ),
        (
            "device_id: 1",
            "device_id: 1\n    tna: {recirculation_ports: [68, 68]}",
            "net.yaml:5:32: switches.0.tna.recirculation_ports: a port is given twice",
        ),
        ("device_id: 1", "device: 1", "net.yaml:4:13: switches.0.device: Extra inputs are not permitted"),
        ("profile: bottleneck", "profile: other", "there is no profile 'other'"),
        ("    router_address: 10.0.0.254\n", "", "net.yaml:2:5: switches.0.router_address: Field required"),
        (
            "router_address: 10.0.0.254",
            "router_address: 224.0.0.1",
            "net.yaml:6:21: switches.0.router_address: 224.0.0.1 is not an address by which other networks reach",
        ),
        (
            "router_address: 10.0.0.254",
            "router_address: 10.0.0.254\n    router_ipv6_address: 'fe80::1%eth0'",
            "router_ipv6_address: fe80::1%eth0 is not an address by which other networks reach this switch",
        ),
        (
            "profiles:\n",
            "isq: {domain: [11.0.0.0/8]}\nprofiles:\n",
            "net.yaml:6:21: switches.0.router_address: 10.0.0.254 is outside of isq.domain",
        ),
        (
            "profiles:\n",
            "isq: {format: fast-cnp, domain: ['2001:db8::/32']}\nprofiles:\n",
            "switches.0.router_ipv6_address: 'fast-cnp' about IPv6 needs an address to come from",
        ),
        (
            "profiles:\n",
            "isq: {format: cnp}\nprofiles:\n",
            "net.yaml:12:15: isq.format: 'cnp' needs isq.domain: the prefixes of the hosts and switches",
        ),
        (
            "port: 1, source",
            "port: x, source",
            "net.yaml:10:37: switches.0.routes.0.port: Input should be a valid integer",
        ),
        (
            'source_mac: "00:00:00:00:00:01", destination_mac: "00:00:00:00:00:02"}\n      - {prefix: "2',
            'source_mac: "00:00:00:00:00:01"}\n      - {prefix: "2',
            "net.yaml:10:9: switches.0.routes.0: give 'port', 'source_mac' and 'destination_mac', or 'next_hops'",
        ),
        (
            "port: 1, source",
            f"next_hops: [{HOP}], port: 1, source",
            "switches.0.routes.0.next_hops: they take the place of port, source_mac and destination_mac",
        ),
        (
            "profiles:\n",
            f"      - {{prefix: 10.0.2.0/24, next_hops: [{HOP}, {HOP}]}}\nprofiles:\n",
            "switches.0.routes.2.next_hops: a next hop is given twice",
        ),
        ("name: s1", "name: [s1", "net.yaml:3:12: expected"),
        ("    device_id: 1\n", "    device_id: 1\n    device_id: 2\n", "net.yaml:5:5: 'device_id' is given twice"),
        ("scheme: ecn-becn", "scheme: wred", "net.yaml:13:15: profiles.bottleneck: Input tag 'wred'"),
        ("profile: bottleneck", "profile: other", "net.yaml:8:34: switches.0.ports.2.profile: there is no profile"),
        (", profile: bottleneck", "", "net.yaml:8:10: switches.0.ports.2: a port needs 'profile', or 'queues'"),
        (
            "profile: bottleneck",
            "profile: bottleneck, queues: {1: bottleneck}",
            "net.yaml:8:54: switches.0.ports.2.queues: give either 'profile' (and 'queue') or 'queues'",
        ),
        (
            "profile: bottleneck",
            "queues: {0: bottleneck, 1: other}",
            "net.yaml:8:52: switches.0.ports.2.queues.1: there is no profile 'other'",
        ),
        ("profile: bottleneck", "queues: {8: bottleneck}", "switches.0.ports.2.queues.8"),
        (
            "profile: bottleneck",
            "profile: {scheme: curve, points: [{depth: 1pkts, p1: 0}, {depth: 9pkts, p1: 1.0e-12}]}",
            "net.yaml:8:34: switches.0.ports.2.profile: the curve is too flat between 1 and 9 packets",
        ),
        (
            "    routes:",
            "    classes:\n      - {dscp: 0b101110, mask: 0b111000, queue: 1}\n    routes:",
            "net.yaml:10:16: switches.0.classes.0.dscp: dscp 0b101110 has bits that the mask 0b111000 leaves out",
        ),
        (
            "    routes:",
            "    classes:\n      - {dscp: 40, mask: 0b111000, queue: 1}\n      - {dscp: 46, queue: 2}\n    routes:",
            "net.yaml:11:9: switches.0.classes.1: the class before it with dscp 0b101000, mask 0b111000 takes all",
        ),
        (
            "    routes:",
            "    classes: [{dscp: 64, queue: 1}]\n    routes:",
            "net.yaml:9:22: switches.0.classes.0.dscp:",
        ),
        (
            "profiles:",
            "isq: {mode: both}\nprofiles:",
            "net.yaml:12:13: isq.mode: Input should be 'cpu', 'dataplane' or",
        ),
        (
            "      2: {rate: 10Mbps, profile: bottleneck}\n",
            "".join(f"      {port}: {{rate: 1Mbps, queues: {{0: a, 1: a}}}}\n" for port in range(501)),
            "net.yaml:8:7: switches.0.ports: 1002 queues have a profile: 1000 are the most",
        ),
        ("device_id: 1", "device_id: 18446744073709551616", "switches.0.device_id: Input should be less"),
        ("profiles:", "isq: {per_queue: {rate: 0}}\nprofiles:", "net.yaml:12:25: isq.per_queue.rate: Input should be"),
    ],
)
def test_a_fault_is_named_with_its_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in GOOD
    with pytest.raises(ConfigError) as error:
        load(tmp_path, GOOD.replace(old, new))
    assert message in str(error.value)
    assert "List should have" not in str(error.value), "what follows from a fault is no fault of its own"


def test_queues_and_classes(tmp_path: Path) -> None:
    text = GOOD.replace("profile: bottleneck", "queues: {0: bottleneck, 1: {scheme: taildrop}}").replace(
        "    routes:", "    classes:\n      - {dscp: 46, queue: 1}\n      - {dscp: 0, mask: 0, queue: 2}\n    routes:"
    )
    config = load(tmp_path, text)
    (switch,) = config.switches
    queues = config.queues_of(switch)
    assert {key: queue.settings.scheme for key, queue in queues.items()} == {(2, 0): "ecn-becn", (2, 1): "taildrop"}
    assert {queue.rate_bps for queue in queues.values()} == {10_000_000}
    assert [(each.dscp, each.mask, each.queue) for each in switch.classes] == [(46, 63, 1), (0, 0, 2)]


def test_there_are_no_more_classes_than_the_table_holds(tmp_path: Path) -> None:
    classes = [f"{{dscp: {dscp}, queue: 1}}" for dscp in range(64)] + ["{dscp: 0, mask: 0, queue: 2}"]
    text = GOOD.replace("    routes:", f"    classes: [{', '.join(classes)}]\n    routes:")
    with pytest.raises(ConfigError, match=r"net.yaml:9:14: switches.0.classes: List should have at most 64 items"):
        load(tmp_path, text)
    assert len(load(tmp_path, text.replace(f", {classes[64]}", "")).switches[0].classes) == 64


def test_one_queue_that_is_not_the_first(tmp_path: Path) -> None:
    config = load(tmp_path, GOOD.replace("profile: bottleneck", "profile: bottleneck, queue: 3"))
    assert list(config.queues_of(config.switches[0])) == [(2, 3)]


def test_who_sends_source_quenches(tmp_path: Path) -> None:
    assert load(tmp_path, GOOD).isq.mode == "cpu"
    config = load(tmp_path, GOOD + "isq: {mode: dataplane, per_queue: {rate: 5, burst: 2}}\n")
    assert config.isq.mode == "dataplane"
    assert (config.isq.per_queue.rate, config.isq.per_queue.burst) == (5, 2)
    assert load(tmp_path, GOOD + "isq: {per_queue: null}\n").isq.per_queue is None


def test_old_packets_are_answered_only_if_the_file_says_so(tmp_path: Path) -> None:
    assert load(tmp_path, GOOD).isq.max_age == 0.2
    assert load(tmp_path, GOOD + "isq: {max_age: null}\n").isq.max_age is None


@pytest.mark.parametrize("off", ["off", "'off'"])
def test_off_needs_no_quotes(tmp_path: Path, off: str) -> None:
    assert load(tmp_path, GOOD + f"isq: {{mode: {off}}}\n").isq.mode == "off"


def test_the_example_of_the_how_to_is_right(tmp_path: Path) -> None:
    page = Path(__file__).parents[3] / "docs" / "how-to" / "controller.md"
    example = page.read_text().split("```yaml\n")[1].split("```")[0]
    config = load(tmp_path, example)
    assert set(config.queues_of(config.switches[0])) == {(2, 0), (3, 0), (4, 0), (4, 1), (5, 0)}


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"absent.yaml: cannot be read: No such file"):
        load_config(tmp_path / "absent.yaml")


@given(cut=st.integers(0, len(GOOD)), junk=st.text(max_size=5))
def test_a_damaged_file_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, cut: int, junk: str) -> None:
    path = tmp_path_factory.mktemp("damaged") / "net.yaml"
    path.write_bytes((GOOD[:cut] + junk + GOOD[cut + len(junk) :]).encode("utf-8", "surrogatepass"))
    try:
        load_config(path)
    except ConfigError as error:
        assert str(error).startswith(str(path))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("switches: &all [*all]", "net.yaml:1:11: contains itself"),
        ("switches: " + "[" * 3000 + "]" * 3000, "net.yaml:1:60: is nested too deeply: 50 levels are the most"),
        ("a: 1\nswitches: 2020-13-45", "net.yaml:2:11: is no timestamp: month must be in 1..12"),
        ("switches: !!float fast", "net.yaml:1:11: is no float: could not convert"),
        ("switches: !!bool perhaps", "net.yaml:1:11: is no bool: 'perhaps'"),
        ("switches: !!int ''", "net.yaml:1:11: is no int: ''"),
        ("switches: !!float '+'", "net.yaml:1:11: is no float: "),
        ("switches: !!timestamp today", "net.yaml:1:11: is no timestamp: 'today'"),
        ("? [a, b]\n: 1", "net.yaml:1:3: found unhashable key"),
    ],
)
def test_what_yaml_alone_cannot_be(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError) as error:
        load(tmp_path, text)
    (line,) = str(error.value).splitlines()
    assert line.startswith(f"{tmp_path}/{message}")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("10Mbps", "1e400Mbps", "ports.2.rate: '1e400Mbps' is more than Quench can count"),
        ("15KB", "1e400KB", "minth: '1e400KB' is more than Quench can count"),
        ("maxth: 45KB", "maxth: 45KB, report_interval: .nan", "report_interval: nan has no unit: write it as 40ms"),
        (
            "maxth: 45KB",
            "maxth: 45KB, report_interval: 1e400s",
            "report_interval: '1e400s' is more than Quench can count",
        ),
    ],
)
def test_numbers_beyond_all_quantities(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(ConfigError) as error:
        load(tmp_path, GOOD.replace(old, new))
    (line,) = str(error.value).splitlines()
    assert message in line


def test_a_name_with_a_line_break_is_quoted_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as error:
        load(tmp_path, GOOD.replace("scheme: ecn-becn", 'scheme: "ecn\\nbecn"'))
    assert all(line.startswith(f"{tmp_path}/net.yaml:") for line in str(error.value).splitlines())


NETWORK: dict[str, Any] = {
    "hosts": ["h1"],
    "switches": ["s1", "s2"],
    "links": [{"a": "h1", "b": "s1", "b_port": 1}, {"a": "s1", "a_port": 2, "b": "s2", "b_port": 1}],
}


def test_a_network_is_what_the_feeds_layout_has() -> None:
    links = [{"a": "h1", "a_port": None, "b": "s1", "b_port": 1}, NETWORK["links"][1]]
    assert NetworkConfig.model_validate(NETWORK).model_dump(mode="json") == {**NETWORK, "links": links}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"hosts": ["h1", "s1"]}, "two nodes named 's1'"),
        ({"links": [{"a": "h1", "b": "s9", "b_port": 1}]}, "there is no host and no switch 's9'"),
        ({"links": [{"a": "h1", "b": "s1"}]}, "'s1' is a switch: give its port"),
        ({"links": [{"a": "h1", "a_port": 1, "b": "s1", "b_port": 1}]}, "'h1' is a host: no port"),
        ({"links": NETWORK["links"][:1] * 2}, "two links end at port 1 of 's1'"),
        ({"hosts": [f"h{number}" for number in range(1001)]}, "at most 1000 items"),
        ({"links": NETWORK["links"][:1] * 1001}, "at most 1000 items"),
        ({"hosts": ["\x1b[2J"]}, "cannot be a name"),
    ],
)
def test_a_network_that_cannot_be_drawn_is_refused(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValidationError, match=sentence):
        NetworkConfig.model_validate({**NETWORK, **change})


@pytest.mark.parametrize("history", ["59s", "3601s", "-1s"])
def test_the_history_has_limits(history: str) -> None:
    with pytest.raises(ValidationError, match="history"):
        Config.model_validate({"switches": [], "history": history})
