# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The Grafana dashboard: its queries name the metrics that the controller serves, all of them."""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
import yaml
from prometheus_client import generate_latest
from prometheus_client.core import Metric
from prometheus_client.metrics import MetricWrapperBase
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector
from quench.cli.app import app
from quench.errors import ControllerError
from quench.grafana.alerts import ALERTS, rule_file
from quench.grafana.dashboard import WIDTH, dashboard
from quench.grafana.stack import PASSWORD, files
from quench.service.metrics import Metrics
from quench.service.port_metrics import PortMetrics
from typer.testing import CliRunner

ROOT = Path(__file__).resolve().parents[3]
DOCUMENT = ROOT / "docs" / "reference" / "metrics.md"
PROMTOOL = ROOT / "build" / "promtool"
"""The program of Debian's package prometheus: `make build/promtool`."""
QUIET = {
    'up{job="quench", instance="127.0.0.1:9464"}': "1x200",
    'quench_connected{switch="s1"}': "1x200",
    'quench_connections_total{switch="s1"}': "1x200",
    'quench_queue_average_pkts{switch="s1", port="1", queue="0"}': "30x200",
    'quench_queue_depth_pkts{switch="s1", port="1", queue="0"}': "60x200",
    'quench_queue_maxth_pkts{switch="s1", port="1", queue="0"}': "45x200",
    'quench_port_seen_packets_total{switch="s1", port="1"}': "0+5000x200",
    'quench_port_marked_packets_total{switch="s1", port="1"}': "0+250x200",
    'quench_port_dropped_early_packets_total{switch="s1", port="1"}': "0+50x200",
    'quench_port_dropped_forced_packets_total{switch="s1", port="1"}': "0x200",
    'quench_port_dropped_invalid_packets_total{switch="s1", port="1"}': "0x200",
    'quench_port_dropped_vlan_packets_total{switch="s1", port="1"}': "0x200",
    'quench_port_dropped_isq_packets_total{switch="s1", port="1"}': "0x200",
    'quench_port_isq_sent_packets_total{switch="s1", port="1"}': "0x200",
    'quench_isqs_sent_total{switch="s1", kind="marked"}': "0+250x200",
}
"""Time series of a queue under load that behaves, by Prometheus's notation: a sample each 5 s."""
BUSY = {
    "QuenchControllerDown": (
        {'up{job="quench", instance="127.0.0.1:9464"}': "1x50 0x150"},
        'job="quench", instance="127.0.0.1:9464"',
        "No controller answers at 127.0.0.1:9464",
    ),
    "QuenchSwitchDisconnected": (
        {'quench_connected{switch="s1"}': "1x50 0x150", 'quench_connected{switch="s1", instance="standby"}': "0x200"},
        'switch="s1"',
        "No controller is connected to s1",
    ),
    "QuenchSwitchRestarts": (
        {'quench_connections_total{switch="s1"}': "1x40 2x20 3x20 5x120"},
        'switch="s1"',
        "s1 was programmed 4 times within 15 minutes",
    ),
    "QuenchQueueAboveMaxth": (
        {'quench_queue_average_pkts{switch="s1", port="1", queue="0"}': "50x200"},
        'switch="s1", port="1", queue="0"',
        "s1 port 1: queue 0 is above maxth, 50 packets on average",
    ),
    "QuenchForcedDrops": (
        {'quench_port_dropped_forced_packets_total{switch="s1", port="1"}': "0+5x200"},
        'switch="s1", port="1"',
        "s1 port 1 drops 1.0 packets a second because the probability is 1",
    ),
    "QuenchLoss": (
        {'quench_port_dropped_early_packets_total{switch="s1", port="1"}': "0+500x200"},
        'switch="s1", port="1"',
        "s1 port 1 drops 10% of its packets",
    ),
    "QuenchSendersDoNotReact": (
        {'quench_port_marked_packets_total{switch="s1", port="1"}': "0+1950x200"},
        'switch="s1", port="1"',
        "s1 port 1 marks or drops 40% of its packets, and senders do not react",
    ),
    "QuenchManySourceQuenches": (
        {'quench_port_isq_sent_packets_total{switch="s1", port="1"}': "0+750x200"},
        'switch="s1"',
        "s1: 200 source quenches a second, for one packet in ten",
    ),
    "QuenchSourceQuenchesLimited": (
        {'quench_isqs_limited_total{switch="s1", limit="total"}': "0+5x200"},
        'switch="s1", limit="total"',
        's1: the limit "total" forbids source quenches',
    ),
    "QuenchPacketInsLost": (
        {'quench_packet_ins_stale_total{switch="s1"}': "0+5x200"},
        'switch="s1"',
        "s1: the controller is too slow for its packet-ins",
    ),
    "QuenchBrokenPackets": (
        {'quench_port_dropped_vlan_packets_total{switch="s1", port="1"}': "0+5x200"},
        'switch="s1", port="1"',
        "s1 port 1: packets arrive that are broken or in a VLAN",
    ),
    "QuenchForeignSourceQuenches": (
        {'quench_port_dropped_isq_packets_total{switch="s1", port="1"}': "0+5x200"},
        'switch="s1", port="1"',
        "s1 port 1: source quenches arrive from outside of the domain",
    ),
}
"""For each alert: series that bring it about, its labels, and its summary."""


def queries() -> list[str]:
    return [target["expr"] for panel in dashboard()["panels"] for target in panel.get("targets", [])]


class Ports(Collector):
    """The switches' counters of one port."""

    def collect(self) -> Iterator[Metric]:
        for family in PortMetrics.families().values():
            family.add_metric(["s1", "2", "own"][: len(family._labelnames)], 7)
            yield family


def served() -> dict[str, set[str]]:
    """The labels of each time series that the controller serves, by its name, from the text that Prometheus reads."""
    metrics = Metrics()
    metrics.registry.register(Ports())
    for metric in vars(metrics).values():
        if isinstance(metric, MetricWrapperBase):
            metric.labels(*metric._labelnames)
    text = generate_latest(metrics.registry).decode()
    samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
    left_out = ("_created", "_sum", "_count")
    return {sample.name: set(sample.labels) for sample in samples if not sample.name.endswith(left_out)}


def test_the_queries_name_all_metrics_and_no_others() -> None:
    named = {name for query in queries() for name in re.findall(r"quench_\w+", query)}
    assert named == set(served())


def test_the_queries_name_metrics_that_are_documented() -> None:
    documented = set(re.findall(r"quench_\w+", DOCUMENT.read_text()))
    assert {name.removesuffix("_bucket") for name in served()} == documented


def test_labels_of_queries_and_legends_belong_to_the_metrics() -> None:
    labels = served()
    for panel in dashboard()["panels"]:
        for target in panel.get("targets", []):
            known = set.intersection(*(labels[name] for name in re.findall(r"quench_\w+", target["expr"])))
            used = set(re.findall(r"(\w+)=~", target["expr"])) | set(
                re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])
            )
            assert used <= known, target


def test_a_counter_is_shown_as_a_rate() -> None:
    for query in queries():
        for counter in re.findall(r"quench_\w+_(?:total|bucket)", query):
            # The number of times that a switch was programmed is the count itself.
            assert "connections" in counter or f"rate({counter}{{" in query, query


def test_panels_do_not_overlap_and_have_numbers_of_their_own() -> None:
    panels: list[dict[str, Any]] = dashboard()["panels"]
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken
        assert place["x"] + place["w"] <= WIDTH
        taken |= cells
    assert len({panel["id"] for panel in panels}) == len(panels)
    assert len({target["refId"] for panel in panels for target in panel.get("targets", [])}) > 1


# ---- Alerts, and the folder that starts Prometheus and Grafana


def written(tmp_path: Path, *options: str) -> Path:
    folder = tmp_path / "monitoring"
    run = CliRunner().invoke(app, ["grafana", "--stack", str(folder), *options], catch_exceptions=False)
    assert PASSWORD in run.stdout
    return folder


def promtool(*arguments: str | Path) -> None:
    assert PROMTOOL.is_file(), "run: make build/promtool"
    done = subprocess.run([PROMTOOL, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def alert_test(series: dict[str, str], firing: str | None) -> dict[str, Any]:
    """A test of promtool: at 10 minutes this alert fires and no other; None: none does."""
    checks = []
    for alert in ALERTS:
        expected = []
        if alert.name == firing:
            _, labels, summary = BUSY[alert.name]
            named = dict(re.findall(r'(\w+)="([^"]*)"', labels)) | {"severity": alert.severity}
            expected = [{"exp_labels": named, "exp_annotations": {"summary": summary}}]
        checks.append({"eval_time": "10m", "alertname": alert.name, "exp_alerts": expected})
    inputs = [{"series": name, "values": values} for name, values in series.items()]
    return {"interval": "5s", "input_series": inputs, "alert_rule_test": checks}


def test_prometheus_reads_its_files(tmp_path: Path) -> None:
    promtool("check", "config", written(tmp_path) / "prometheus" / "prometheus.yml")


def test_each_alert_fires_for_what_it_is_for(tmp_path: Path) -> None:
    assert set(BUSY) == {each.name for each in ALERTS}
    (tmp_path / "alerts.yml").write_text(yaml.safe_dump(rule_file()))
    tests = [alert_test(QUIET, None)]
    tests += [alert_test(QUIET | series, name) for name, (series, _, _) in BUSY.items()]
    # Without packets a queue keeps its last average.
    empty = {name: re.sub(r"0\+\d+", "0", values) for name, values in QUIET.items()}
    tests.append(alert_test(empty | BUSY["QuenchQueueAboveMaxth"][0], None))
    cases = {"rule_files": ["alerts.yml"], "evaluation_interval": "5s", "tests": tests}
    (tmp_path / "tests.yml").write_text(yaml.safe_dump(cases))
    promtool("test", "rules", tmp_path / "tests.yml")


def test_alerts_name_metrics_that_are_served() -> None:
    named = {name for rule in rule_file()["groups"][0]["rules"] for name in re.findall(r"quench_\w+", rule["expr"])}
    assert named <= set(served())


def test_alerts_are_documented() -> None:
    page = (ROOT / "docs" / "how-to" / "grafana.md").read_text()
    assert {each.name for each in ALERTS} == set(re.findall(r"`(Quench\w+)`", page))


def test_the_containers_listen_on_loopback_with_a_password_of_the_users(tmp_path: Path) -> None:
    folder = written(tmp_path, "--metrics", "127.0.0.1:9500")
    services = yaml.safe_load((folder / "compose.yaml").read_text())["services"]
    assert set(services) == {"prometheus", "grafana"}
    for service in services.values():
        assert service["network_mode"] == "host"
        assert service["cap_drop"] == ["ALL"]
        assert re.fullmatch(r"[a-z]+/[a-z]+:v?\d+\.\d+\.\d+", service["image"])
        for volume in service["volumes"]:
            source = volume.partition(":")[0]
            assert not source.startswith(".") or ((folder / source).is_dir() and volume.endswith(":ro"))
    (listening,) = (each for each in services["prometheus"]["command"] if "listen" in each)
    datasource = yaml.safe_load((folder / "grafana/provisioning/datasources/prometheus.yaml").read_text())
    address = listening.partition("=")[2]
    assert address.startswith("127.0.0.1:")
    assert [each["url"] for each in datasource["datasources"]] == [f"http://{address}"]
    environment = services["grafana"]["environment"]
    assert environment["GF_SERVER_HTTP_ADDR"] == "127.0.0.1"
    assert environment["GF_SECURITY_ADMIN_PASSWORD"].startswith(f"${{{PASSWORD}:?")
    scraped = yaml.safe_load((folder / "prometheus/prometheus.yml").read_text())["scrape_configs"]
    assert [each["static_configs"][0]["targets"] for each in scraped] == [["127.0.0.1:9500"]]
    assert json.loads((folder / "grafana/dashboards/quench.json").read_text()) == dashboard()
    mounted = yaml.safe_load((folder / "grafana/provisioning/dashboards/quench.yaml").read_text())
    places = [volume.split(":")[1] for volume in services["grafana"]["volumes"]]
    assert {each["options"]["path"] for each in mounted["providers"]} <= set(places)


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    refused = {
        "cannot be written": ["--stack", str(tmp_path / "file")],
        "is not HOST:PORT": ["--stack", str(tmp_path / "x"), "--metrics", "9464"],
        "give one of them": ["--stack", str(tmp_path / "x"), "-o", "x.json"],
    }
    for sentence, options in refused.items():
        with pytest.raises(ControllerError, match=sentence):
            CliRunner().invoke(app, ["grafana", *options], catch_exceptions=False)
    assert not (tmp_path / "x").exists()
    assert not any(PurePosixPath(place).is_absolute() for place in files("127.0.0.1:9464"))


def test_the_command_prints_or_writes_it(tmp_path: Path) -> None:
    printed = CliRunner().invoke(app, ["grafana"], catch_exceptions=False).stdout
    assert json.loads(printed) == dashboard()
    path = tmp_path / "quench.json"
    CliRunner().invoke(app, ["grafana", "-o", str(path)], catch_exceptions=False)
    assert path.read_text() == printed
    with pytest.raises(ControllerError, match="cannot be written"):
        CliRunner().invoke(app, ["grafana", "-o", str(tmp_path / "no" / "x.json")], catch_exceptions=False)
