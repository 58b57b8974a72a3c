# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""report.html: one file, with the plots inside."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from quench.report import svg, templates
from quench_common.units import parse_depth

from quench_topologies.demo.recording import Counters, Recording
from quench_topologies.demo.scenarios import Scenario
from quench_topologies.demo.table import link_rows, rows
from quench_topologies.demo.verdicts import Expectation

SHORTEST_SPAN_S = 0.2
"""Rates over less time are noise."""
_LEGEND: dict[str, Any] = {
    "loc": "lower left",
    "bbox_to_anchor": (0, 1),
    "ncols": 4,
    "frameon": False,
    "fontsize": 8,
}
_WIDTH_INCHES, _AXES_INCHES = 10.0, 2.5
_OWN_COLOUR, _OTHERS_COLOUR = "#1f4e79", "#b04030"


def write_report(
    path: Path,
    summary: Mapping[str, Any],
    runs: Sequence[tuple[Scenario, Recording]],
    expected: Sequence[Expectation],
) -> None:
    """Write the report; the summary is what summary.json holds."""
    documents = [
        svg(_figure(scenario, recording, [link["name"] for link in scheme["links"]]))
        for (scenario, recording), scheme in zip(runs, summary["schemes"], strict=True)
    ]
    page = templates("quench_topologies.demo").get_template("demo.html.j2")
    content = page.render(
        settings={**summary["settings"], **summary["versions"]},
        head=["", *(scheme["name"] for scheme in summary["schemes"])],
        tables=[cells for cells in (rows(summary["schemes"]), link_rows(summary["schemes"])) if cells],
        expected=expected,
        plots=[(scenario.name, document) for (scenario, _), document in zip(runs, documents, strict=True)],
    )
    path.write_text(content, encoding="utf-8")


def _figure(scenario: Scenario, recording: Recording, names: Sequence[str]) -> Figure:
    plots = len(names) + 2
    figure = Figure(figsize=(_WIDTH_INCHES, plots * _AXES_INCHES), layout="constrained")
    *queues, windows, events = figure.subplots(plots, 1, sharex=True)
    for index, (axes, name) in enumerate(zip(queues, names, strict=True)):
        _plot_queue(axes, scenario, recording, index)
        axes.set_ylabel("queue [packets]" if len(names) == 1 else f"{name} [packets]")
    _plot_windows(windows, recording)
    _plot_events(events, recording)
    for axes in (*queues, windows, events):
        axes.axvspan(0, recording.before.counters.time_s - recording.started_s, color="0.93", zorder=0)
        axes.margins(x=0)
    events.set_xlabel("seconds since the flows began (grey: warm-up, not measured)")
    return figure


def _plot_queue(axes: Axes, scenario: Scenario, recording: Recording, index: int) -> None:
    reports = recording.reports[index]
    times = [report.time_s - recording.started_s for report in reports]
    axes.plot(times, [report.depth_pkts for report in reports], lw=0.5, color="#9bb8d3", label="queue")
    axes.plot(times, [report.average_pkts for report in reports], lw=1.5, color="#1f4e79", label="average")
    profile = scenario.profile
    for name, alignment in (("minth", "top"), ("becnthresh", "center"), ("midth", "center"), ("maxth", "bottom")):
        if name in profile:
            depth_pkts = parse_depth(profile[name]).in_pkts(profile["mean_packet_bytes"])
            axes.axhline(depth_pkts, lw=0.8, ls="--", color="#b04030")
            place: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "va": alignment, "fontsize": 8}
            axes.annotate(f" {name} {profile[name]}", (1, depth_pkts), **place)
    axes.set_ylim(bottom=0)
    axes.legend(**_LEGEND)


def _plot_windows(axes: Axes, recording: Recording) -> None:
    mixed = any(flow.beside for flow in recording.flows)
    for flow, samples in zip(recording.flows, recording.windows, strict=True):
        times = [sample.time_s - recording.started_s for sample in samples]
        style: dict[str, Any] = {"lw": 0.5, "alpha": 0.6, "where": "post"}
        if mixed:
            style["color"] = _OTHERS_COLOUR if flow.beside else _OWN_COLOUR
        axes.step(times, [sample.cwnd_pkts for sample in samples], **style)
    axes.set_ylabel("cwnd of each flow [packets]" + (",\nblue: the scheme's, red: others" if mixed else ""))
    axes.set_ylim(bottom=0)


def _plot_events(axes: Axes, recording: Recording) -> None:
    def rate(label: str, color: str, count: Any) -> None:
        times, rates = [], []
        for before, after in pairwise(recording.counters):
            span_s = after.time_s - before.time_s
            if span_s > SHORTEST_SPAN_S:
                times.append(after.time_s - recording.started_s)
                rates.append((count(after) - count(before)) / span_s)
        axes.plot(times, rates, lw=1.2, color=color, label=label)

    def port(name: str) -> Any:
        return lambda counters: counters.port_total(name)

    rate("marks", "#1f4e79", port("port_marked"))
    rate("early drops", "#b04030", port("port_dropped_early"))
    rate("forced drops", "#e0a030", port("port_dropped_forced"))
    rate("source quenches", "#3a7d44", _isqs_sent)
    axes.set_ylabel("packets per second")
    axes.set_ylim(bottom=0)
    axes.legend(**_LEGEND)


def _isqs_sent(counters: Counters) -> int:
    return counters.isqs_sent_pkts
