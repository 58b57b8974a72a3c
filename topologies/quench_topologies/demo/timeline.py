# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The demo's charts over time: queue, windows and signals of each scheme, all to one scale."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from math import ceil
from typing import Any, TypeAlias

from quench.colours import AVERAGE, DEPTH, DROPPED_EARLY, DROPPED_FORCED, GREY, ISQS, MARKED, WINDOW
from quench.profiles import parse_settings
from quench.report.chart import Band, Bundle, Dash, Level, Line, Panel, Shade
from quench.report.envelope import envelope

from quench_topologies.demo.figures import quantile
from quench_topologies.demo.recording import Counters, Recording
from quench_topologies.demo.scenarios import Scenario
from quench_topologies.traffic import SAMPLE_INTERVAL_S

Window: TypeAlias = tuple[list[float], list[float]]
"""The window of a flow: times since the flows began, and values in packets."""
SHORTEST_SPAN_S = 0.2
"""Rates over less time are noise."""
ROOM = 1.06
"""The room above the largest value of an axis, as a factor."""
LOW, LOWER, UPPER, HIGH = 0.1, 0.25, 0.75, 0.9
"""Shares of the flows whose windows are smaller."""
GENTLE_END = "2 maxth"
"""A depth that few queues reach: no axis is made longer for it."""
MOST_SINGLE, MOST_SAMPLES = 50, 1000
"""Flows that are shown one by one, and samples of each: a page has to stay small enough for a browser."""
_FEW_DASHES: Mapping[bool, tuple[Dash, ...]] = {
    False: ("solid", "dashed", "dotted"),
    True: ("dashdot", "dotted", "dashed"),
}
MOST_REPORTS = 2000
"""Depths of a queue that are drawn one by one; the envelope of more has PIECES pieces."""
PIECES = 400
MANY_FLOWS = 4
"""With fewer there is no room for quantiles: every flow has a line."""


@dataclass(frozen=True, slots=True)
class Ends:
    """The ends of the axes, the same for all schemes, so that their charts can be compared."""

    time_s: float
    queue_pkts: float
    cwnd_pkts: float
    rate_pps: float


def ends_of(runs: Sequence[tuple[Scenario, Recording]]) -> Ends:
    """Room for every run. Windows may leave it during the warm-up, where slow start would press the rest together."""
    recordings = [recording for _, recording in runs]
    depths = [each.depth_pkts for recording in recordings for each in chain.from_iterable(recording.reports)]
    levels = [
        level.y for scenario, _ in runs for level in thresholds(scenario) if not level.label.startswith(GENTLE_END)
    ]
    windows = [
        sample.cwnd_pkts
        for recording in recordings
        for sample in chain.from_iterable(recording.windows)
        if sample.time_s >= recording.before.counters.time_s
    ]
    rates = [
        rate
        for recording in recordings
        for _, _, _, count in _SIGNALS
        for rate in _rates(recording.counters, 0.0, count)[1]
    ]
    return Ends(
        max((recording.after.counters.time_s - recording.started_s for recording in recordings), default=1.0),
        ROOM * max([*depths, *levels, 1.0]),
        ROOM * max([*windows, 1.0]),
        ROOM * max([*rates, 1.0]),
    )


def thresholds(scenario: Scenario) -> list[Level]:
    """All depths at which the scheme's curve changes, in packets, with their names."""
    if "scheme" not in scenario.profile:
        # The settings of a program that is not quench.p4 have no curve.
        return []
    settings = parse_settings(dict(scenario.profile))
    return [Level(f"{name} {depth}".strip(), settings.in_pkts(depth)) for name, depth in settings.named_depths()]


def timeline(scenario: Scenario, recording: Recording, names: Sequence[str], ends: Ends) -> list[Panel]:
    """Each bottleneck's queue, the windows, and the signals per second, over one time axis."""
    warmup = Shade(0.0, recording.before.counters.time_s - recording.started_s)
    x_range = (0.0, ends.time_s)
    queues = [
        Panel(
            "",
            "queue, packets" if len(names) == 1 else f"{name}, packets",
            (warmup, *_queue(scenario, recording, index)),
            x_range=x_range,
            y_range=(0.0, ends.queue_pkts),
        )
        for index, name in enumerate(names)
    ]
    windows = Panel("", "cwnd, packets", (warmup, *_windows(recording)), x_range=x_range, y_range=(0.0, ends.cwnd_pkts))
    signals = Panel(
        "seconds since the flows began (grey: warm-up, not measured)",
        "packets per second",
        (warmup, *_signals(recording)),
        x_range=x_range,
        y_range=(0.0, ends.rate_pps),
    )
    return [*queues, windows, signals]


def _queue(scenario: Scenario, recording: Recording, index: int) -> list[Line | Band | Level]:
    reports = recording.reports[index]
    times = [report.time_s - recording.started_s for report in reports]
    depths = [float(report.depth_pkts) for report in reports]
    return [
        _envelope(times, depths) if len(times) > MOST_REPORTS else Line("queue", times, depths, DEPTH.light, width=0.6),
        Line("average", times, [report.average_pkts for report in reports], AVERAGE.light, width=1.6),
        *thresholds(scenario),
    ]


def _envelope(times: Sequence[float], depths: Sequence[float]) -> Band:
    """The least and the greatest depth of each piece of time: so many single swings would be a solid band."""
    found = envelope(times, depths, PIECES)
    name = f"queue, least to most in {(times[-1] - times[0]) / PIECES:.1g} s"
    return Band(name, found.middle, found.least, found.greatest, DEPTH.light, 0.5)


@dataclass(frozen=True, slots=True)
class _Kind:
    """Flows that are drawn alike."""

    beside: bool
    name: str
    """Has room for their number."""
    colour: str
    single_colour: str
    dash: Dash = "solid"


_ALL = _Kind(beside=False, name="{} flows", colour=WINDOW.light, single_colour=GREY)
_OWN = _Kind(beside=False, name="the scheme's {} flows", colour=WINDOW.light, single_colour=WINDOW.light)
_OTHERS = _Kind(beside=True, name="the {} others", colour=GREY, single_colour=GREY, dash="dashed")


def _windows(recording: Recording) -> Iterator[Line | Band | Bundle]:
    mixed = any(flow.beside for flow in recording.flows)
    for kind in (_OWN, _OTHERS) if mixed else (_ALL,):
        flows = [
            ([each.time_s - recording.started_s for each in samples], [float(each.cwnd_pkts) for each in samples])
            for flow, samples in zip(recording.flows, recording.windows, strict=True)
            if flow.beside is kind.beside and samples
        ]
        if flows:
            yield from _few(flows, kind) if len(flows) < MANY_FLOWS else _many(flows, kind)


def _few(flows: Sequence[Window], kind: _Kind) -> Iterator[Line]:
    for number, (times, windows) in enumerate(flows):
        label = "the other" if kind.beside else "flow"
        if len(flows) > 1:
            label += f" {number + 1}"
        yield Line(label, times, windows, kind.colour, _FEW_DASHES[kind.beside][number], 1.2, step=True)


def _many(flows: Sequence[Window], kind: _Kind) -> Iterator[Line | Band | Bundle]:
    times, columns = _by_time(flows)
    name = kind.name.format(len(flows))
    # Two kinds with two bands each would hide one another.
    for low, high, alpha in ((LOW, HIGH, 0.15), (LOWER, UPPER, 0.3)) if kind is _ALL else ((LOWER, UPPER, 0.3),):
        label = f"{100 * low:g} to {100 * high:g} % of {name}"
        lower, upper = ([quantile(column, share) for column in columns] for share in (low, high))
        yield Band(label, times, lower, upper, kind.colour, alpha)
    medians = [quantile(column, 0.5) for column in columns]
    yield Line(f"median of {name}", times, medians, kind.colour, kind.dash, 1.8, step=True)
    label = f"each of {name} (click)" if len(flows) <= MOST_SINGLE else f"{MOST_SINGLE} of {name} (click)"
    thinned = [tuple(values[:: ceil(len(values) / MOST_SAMPLES)] for values in flow) for flow in flows[:MOST_SINGLE]]
    yield Bundle(label, [(moments, windows) for moments, windows in thinned], kind.single_colour)


def _by_time(flows: Sequence[Window]) -> tuple[list[float], list[list[float]]]:
    """The windows of all flows that were looked at together."""
    found: defaultdict[int, list[float]] = defaultdict(list)
    for times, windows in flows:
        for time_s, window in zip(times, windows, strict=True):
            found[round(time_s / SAMPLE_INTERVAL_S)].append(window)
    moments = sorted(found)
    return [moment * SAMPLE_INTERVAL_S for moment in moments], [found[moment] for moment in moments]


def _port(name: str) -> Callable[[Counters], int]:
    return lambda counters: counters.port_total(name)


def _isqs(counters: Counters) -> int:
    return counters.isqs_sent_pkts


_SIGNALS: tuple[tuple[str, str, Any, Callable[[Counters], int]], ...] = (
    ("marks", MARKED.light, "solid", _port("port_marked")),
    ("early drops", DROPPED_EARLY.light, "dashed", _port("port_dropped_early")),
    ("forced drops", DROPPED_FORCED.light, "dotted", _port("port_dropped_forced")),
    ("source quenches", ISQS.light, "dashdot", _isqs),
)


def _signals(recording: Recording) -> Iterator[Line]:
    for label, colour, dash, count in _SIGNALS:
        times, rates = _rates(recording.counters, recording.started_s, count)
        yield Line(label, times, rates, colour, dash)


def _rates(
    counters: Sequence[Counters], started_s: float, count: Callable[[Counters], int]
) -> tuple[list[float], list[float]]:
    times, rates = [], []
    for before, after in pairwise(counters):
        span_s = after.time_s - before.time_s
        if span_s > SHORTEST_SPAN_S:
            times.append(after.time_s - started_s)
            rates.append((count(after) - count(before)) / span_s)
    return times, rates
