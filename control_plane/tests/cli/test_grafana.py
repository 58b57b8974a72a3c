# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The Grafana dashboard: its queries name the metrics that the controller serves, all of them."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import generate_latest
from prometheus_client.core import Metric
from prometheus_client.metrics import MetricWrapperBase
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector
from quench.cli.app import app
from quench.errors import ControllerError
from quench.grafana.dashboard import WIDTH, dashboard
from quench.service.metrics import Metrics
from quench.service.port_metrics import PortMetrics
from typer.testing import CliRunner

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "reference" / "metrics.md"


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


def test_the_command_prints_or_writes_it(tmp_path: Path) -> None:
    printed = CliRunner().invoke(app, ["grafana"], catch_exceptions=False).stdout
    assert json.loads(printed) == dashboard()
    path = tmp_path / "quench.json"
    CliRunner().invoke(app, ["grafana", "-o", str(path)], catch_exceptions=False)
    assert path.read_text() == printed
    with pytest.raises(ControllerError, match="cannot be written"):
        CliRunner().invoke(app, ["grafana", "-o", str(tmp_path / "no" / "x.json")], catch_exceptions=False)
