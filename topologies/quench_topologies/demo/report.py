# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""report.html: one file, with the plots inside."""

import base64
import html
import io
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from quench.units import parse_depth

from quench_topologies.demo.expectations import Expectation
from quench_topologies.demo.recording import Counters, Recording
from quench_topologies.demo.scenarios import Scenario
from quench_topologies.demo.table import rows

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70em; margin: 2em auto; padding: 0 1em; color: #222 }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
td, th { border-bottom: 1px solid #ddd; padding: .2em .8em; text-align: right }
td:first-child, th:first-child { text-align: left }
.no { color: #a00; font-weight: bold }
img { width: 100% }
"""
MEAN_PACKET_BYTES = 1000
SHORTEST_SPAN_S = 0.2
"""Rates over less time say nothing."""
_LEGEND: dict[str, Any] = {
    "loc": "lower left",
    "bbox_to_anchor": (0, 1),
    "ncols": 4,
    "frameon": False,
    "fontsize": 8,
}
_FIGURE_INCHES = (10.0, 7.5)


def write_report(
    path: Path,
    summary: Mapping[str, Any],
    runs: Sequence[tuple[Scenario, Recording]],
    expected: Sequence[Expectation],
) -> None:
    """Write the report; the summary is what summary.json holds."""
    parts = [
        "<!doctype html><html lang='en'><meta charset='utf-8'><title>Quench: demo</title>",
        f"<style>{_STYLE}</style><h1>Quench: demo</h1>",
        _settings(summary),
        _table(summary["schemes"]),
        "<h2>What the papers would expect</h2><ul>",
        *(_expectation(each) for each in expected),
        "</ul>",
    ]
    for scenario, recording in runs:
        parts.append(f"<h2>{html.escape(scenario.name)}</h2>{_image(_figure(scenario, recording))}")
    path.write_text("\n".join(parts) + "</html>\n", encoding="utf-8")


def _settings(summary: Mapping[str, Any]) -> str:
    pairs = {**summary["settings"], **summary["versions"]}
    return "<p>" + html.escape(", ".join(f"{key} {value}" for key, value in pairs.items())) + "</p>"


def _table(schemes: Sequence[Mapping[str, Any]]) -> str:
    head = "".join(f"<th>{html.escape(scheme['name'])}</th>" for scheme in schemes)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows(schemes))
    return f"<table><tr><th></th>{head}</tr>{body}</table>"


def _expectation(each: Expectation) -> str:
    verdicts = {
        "holds": "",
        "too_close_to_tell": " Too close to tell.",
        "fails": " <span class='no'>Not so here.</span>",
    }
    return f"<li>{html.escape(each.claim)}: {html.escape(each.measured)}.{verdicts[each.verdict]}</li>"


def _image(figure: Figure) -> str:
    out = io.BytesIO()
    # A fixed salt and no date: the same run gives the same bytes.
    with mpl.rc_context({"svg.hashsalt": "quench", "svg.fonttype": "none"}):
        figure.savefig(out, format="svg", metadata={"Date": None})
    return f"<img alt='' src='data:image/svg+xml;base64,{base64.b64encode(out.getvalue()).decode()}'>"


def _figure(scenario: Scenario, recording: Recording) -> Figure:
    figure = Figure(figsize=_FIGURE_INCHES, layout="constrained")
    queue, windows, events = figure.subplots(3, 1, sharex=True)
    _plot_queue(queue, scenario, recording)
    _plot_windows(windows, recording)
    _plot_events(events, recording)
    for axes in (queue, windows, events):
        axes.axvspan(0, recording.before.counters.time_s - recording.started_s, color="0.93", zorder=0)
        axes.margins(x=0)
    events.set_xlabel("seconds since the flows began (grey: warm-up, not measured)")
    return figure


def _plot_queue(axes: Axes, scenario: Scenario, recording: Recording) -> None:
    times = [report.time_s - recording.started_s for report in recording.reports]
    axes.plot(times, [report.depth_pkts for report in recording.reports], lw=0.5, color="#9bb8d3", label="queue")
    axes.plot(times, [report.average_pkts for report in recording.reports], lw=1.5, color="#1f4e79", label="average")
    profile = scenario.profile()
    for name, alignment in (("minth", "top"), ("becnthresh", "center"), ("maxth", "bottom")):
        if name in profile:
            depth_pkts = parse_depth(profile[name]).in_pkts(MEAN_PACKET_BYTES)
            axes.axhline(depth_pkts, lw=0.8, ls="--", color="#b04030")
            place: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "va": alignment, "fontsize": 8}
            axes.annotate(f" {name} {profile[name]}", (1, depth_pkts), **place)
    axes.set_ylabel("queue [packets of 1000 bytes]")
    axes.set_ylim(bottom=0)
    axes.legend(**_LEGEND)


def _plot_windows(axes: Axes, recording: Recording) -> None:
    for samples in recording.windows:
        times = [sample.time_s - recording.started_s for sample in samples]
        axes.step(times, [sample.cwnd_pkts for sample in samples], lw=0.5, alpha=0.6, where="post")
    axes.set_ylabel("cwnd of each flow [packets]")
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
        return lambda counters: counters.port[name]

    rate("marks", "#1f4e79", port("port_marked"))
    rate("early drops", "#b04030", port("port_dropped_early"))
    rate("forced drops", "#e0a030", port("port_dropped_forced"))
    rate("source quenches", "#3a7d44", _isqs_sent)
    axes.set_ylabel("packets per second")
    axes.set_ylim(bottom=0)
    axes.legend(**_LEGEND)


def _isqs_sent(counters: Counters) -> int:
    return counters.isqs_sent_pkts
