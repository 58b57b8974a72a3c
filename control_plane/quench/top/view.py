# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The parts of the screen as styled text, each of a given width. Nothing here knows Textual.

Names and sentences are the source's: ``clean`` is for what is drawn of them.
"""

import time
from collections.abc import Mapping, Sequence

from quench_switch.outside.text import printable
from quench_switch.outside.units import Depth, format_rate_bps
from rich.text import Text

from quench import colours
from quench.feed.model import Clock, Event
from quench.top.drawing import NOTHING, Tick, bar, label_lines, number, place_of, rate, share, sparkline
from quench.top.state import QueueState, State, scale_pkts

DIM = "dim"
HEADING = "bold"
CHOSEN = "reverse"
WARNING = "bold red"
PENDING = "bold yellow"
THRESHOLD = f"bold {colours.THRESHOLD.dark}"
AVERAGE = f"bold {colours.AVERAGE.dark}"
DEPTH = colours.DEPTH.dark
_NAME, _SHORTEST_NAME, _SCHEME, _SHORTEST_SPARK = 10, 4, 9, 9
_FIGURES = (("depth", 6), ("average", 8), ("util", 5), ("marked/s", 9), ("drops/s", 8), ("ISQs/s", 7))
_FLOW_FIGURES = (("cwnd", 6), ("ssthresh", 9), ("rtt ms", 8), ("retr.", 6), ("cuts", 5))


def clean(line: Text, width: int) -> Text:
    """The line without characters that would command the terminal, and no wider than this."""
    shown = line if line.plain.isprintable() else Text(printable(line.plain))
    shown.truncate(width)
    return shown


def clock_text(clock: Clock, time_s: float) -> str:
    """A moment of the feed: the time of day, or seconds of a simulation."""
    return time.strftime("%H:%M:%S", time.localtime(time_s)) if clock == "unix" else f"{time_s:.1f} s"


def header(state: State, width: int, *, paused: bool) -> list[Text]:
    """The source, the time, and a lost source's reason."""
    layout = state.layout
    left = "quench top" if layout is None else f"quench top: {layout['title']}"
    right = "" if layout is None or state.time_s is None else clock_text(layout["clock"], state.time_s)
    if paused:
        right = f"paused {right}"
    room = max(1, width - len(right) - 1)
    left = left if len(left) <= room else left[: room - 1] + "…"
    lines = [Text(f"{left:{room}} {right}", style="bold reverse")]
    if state.lost is not None:
        lines.append(Text(f"{state.lost:{width}}", style=WARNING))
    return lines


def queue_rows(state: State, chosen: int, width: int) -> list[Text]:
    """A heading, and a row for each queue."""
    name = max([_NAME, *(len(str(key)) for key in state.queues)])
    fixed = sum(columns for _, columns in _FIGURES) + _SCHEME + 4
    name = max(_SHORTEST_NAME, min(name, width - fixed - _SHORTEST_SPARK))
    spark = max(0, width - fixed - name)
    heading = f" {'queue':{name}} {'scheme':{_SCHEME}}"
    heading += "".join(f"{title:>{columns}}" for title, columns in _FIGURES)
    rows = [Text(f"{heading} {f'last {spark} s':>{spark}}"[:width], style=HEADING)]
    rows.extend(
        _queue_row(queue, name, spark, is_chosen=place == chosen) for place, queue in enumerate(state.queues.values())
    )
    return rows


def _queue_row(queue: QueueState, name: int, spark: int, *, is_chosen: bool) -> Text:
    label = str(queue.key)
    label = label if len(label) <= name else "…" + label[len(label) - name + 1 :]
    sample, port = queue.sample, queue.port
    figures = [
        number(None if sample is None else sample["depth_pkts"]),
        number(None if sample is None else sample["average_pkts"], 2),
        share(None if port is None else port["utilisation"]),
        rate(None if port is None else port["marked_pps"]),
        rate(None if port is None else drops_pps(queue)),
        rate(None if port is None else port["isqs_pps"]),
    ]
    text = Text(("▸" if is_chosen else " ") + f"{label:{name}} {queue.scheme[:_SCHEME]:{_SCHEME}}")
    text.append("".join(f"{value:>{columns}}" for value, (_, columns) in zip(figures, _FIGURES, strict=True)))
    if is_chosen:
        text.stylize(CHOSEN)
    elif not queue.connected:
        text.stylize(DIM)
    text.append(f" {sparkline(queue.depths(spark), scale_pkts(queue))}", style=DEPTH)
    return text


def drops_pps(queue: QueueState) -> float | None:
    """Early and forced drops together; None where neither is known."""
    port = queue.port
    if port is None:
        return None
    known = [value for value in (port["dropped_early_pps"], port["dropped_forced_pps"]) if value is not None]
    return sum(known) if known else None


def detail(queue: QueueState | None, pending: Mapping[str, Depth], chosen: str | None, width: int) -> list[Text]:
    """One queue: its history, its average among the thresholds, and its rates."""
    if queue is None:
        return [Text("no queue with a profile", style=DIM)]
    lines = [_title(queue, width)]
    top = scale_pkts(queue)
    label, figure = 8, 9
    room = width - label - figure
    sample = queue.sample
    for name, style, values, value in (
        ("depth", DEPTH, queue.depths(room), sample and number(sample["depth_pkts"])),
        ("average", AVERAGE, queue.averages(room), sample and number(sample["average_pkts"], 2)),
    ):
        line = Text(f"{name:{label}}")
        line.append(sparkline(values, top), style=style)
        line.append(f"{value or NOTHING:>{figure}}")
        lines.append(line)
    lines += _ruler(queue, pending, chosen, top, width)
    lines += _rates(queue, width)
    return lines


def _title(queue: QueueState, width: int) -> Text:
    key = queue.key
    parts = [f"{key.switch} port {key.port} queue {key.queue}", queue.scheme or "no profile"]
    if queue.rate_bps is not None:
        parts.append(format_rate_bps(queue.rate_bps))
    if queue.isq_mode is not None:
        parts.append(f"ISQs: {queue.isq_mode}")
    settings = {} if queue.profile is None else queue.profile["settings"]
    if "mark_at" in settings:
        parts.append(f"mark at {settings['mark_at']}")
    if not queue.connected:
        parts.append("not connected")
    return Text(" · ".join(parts)[:width], style=HEADING)


def _ruler(queue: QueueState, pending: Mapping[str, Depth], chosen: str | None, top: float, width: int) -> list[Text]:
    """The depth as a bar, the average as a diamond, and the thresholds as ticks with their names below."""
    ends = ("0 ", f" {top} pkts")
    room = max(1, width - sum(map(len, ends)))
    sample, profile = queue.sample, queue.profile
    ticks: dict[str, Tick] = {}
    for index, each in enumerate(queue.thresholds):
        name, value, text = each["name"], each["pkts"], each["text"]
        mean_bytes = None if profile is None else profile["mean_packet_bytes"]
        if name in pending and mean_bytes is not None:
            value, text = pending[name].in_pkts(mean_bytes), f"{pending[name]}?"
        mark = "»" if name == chosen else ""
        ticks[name or str(index)] = Tick(f"{mark}{name}{' ' if name else ''}{text}", value)
    characters = list(bar(None if sample is None else sample["depth_pkts"], top, room))
    styles: dict[int, str] = {}
    for name, tick in ticks.items():
        at = place_of(tick.pkts, top, room)
        characters[at], styles[at] = "┃", PENDING if name in pending else THRESHOLD
    average = None if sample is None else sample["average_pkts"]
    if average is not None:
        at = place_of(average, top, room)
        characters[at], styles[at] = "◆", AVERAGE
    line = Text("".join(characters), style=f"{DEPTH} on grey15")
    for at, style in styles.items():
        line.stylize(style, at, at + 1)
    drawn = Text.assemble((ends[0], DIM), line, (ends[1], DIM))
    labels = label_lines(list(ticks.values()), top, room)
    return [drawn, *(Text(" " * len(ends[0]) + each, style=THRESHOLD) for each in labels)]


def _rates(queue: QueueState, width: int) -> list[Text]:
    """The rates per second, on as many lines as they need."""
    port = queue.port
    if port is None:
        return [Text("the switch is not connected" if not queue.connected else "no figures yet", style=WARNING)]
    figures = [
        ("seen", port["seen_pps"]),
        ("marked", port["marked_pps"]),
        ("early drops", port["dropped_early_pps"]),
        ("forced", port["dropped_forced_pps"]),
        ("ISQs", port["isqs_pps"]),
        # The program has many other counters: only those above 0 are shown.
        *((name, value) for name, value in port["counters"].items() if value),
    ]
    lines = ["per second:"]
    for index, (name, value) in enumerate(figures):
        text = f" {name} {rate(value)}" + ("," if index < len(figures) - 1 else "")
        if len(lines[-1]) + len(text) > width:
            lines.append("           ")
        lines[-1] += text
    return [Text(line) for line in lines]


def flow_rows(state: State, width: int) -> list[Text]:
    """The flows of hosts with quench-host, largest window first, and each host's reactions."""
    if not state.flows and not state.hosts:
        return [Text("no flows: no host with quench-host is known to the source", style=DIM)]
    name = max(10, width - sum(columns for _, columns in _FLOW_FIGURES))
    heading = f"{f'{len(state.flows)} flows':{name}}" + "".join(f"{title:>{size}}" for title, size in _FLOW_FIGURES)
    rows = [Text(heading[:width], style=HEADING)]
    for flow in sorted(state.flows, key=lambda each: -each["cwnd_pkts"]):
        figures = [
            number(flow["cwnd_pkts"]),
            number(flow["ssthresh_pkts"]),
            number(flow["srtt_ms"], 1),
            number(flow["retransmitted_pkts"]),
            number(flow["reductions"]),
        ]
        label = flow["flow"]
        label = label if len(label) < name else label[: name - 2] + "…"
        numbers = "".join(f"{value:>{size}}" for value, (_, size) in zip(figures, _FLOW_FIGURES, strict=True))
        rows.append(Text(f"{label:{name}}{numbers}"))
    for host in state.hosts:
        counters = ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in host["counters"].items() if value)
        rows.append(Text(f"{host['host']} ({host['algorithm']}): {counters or 'no reactions'}"[:width], style=DIM))
    return rows


def event_rows(events: Sequence[Event], clock: Clock, width: int, count: int) -> list[Text]:
    """The newest events, the newest last."""
    rows = [f"{clock_text(clock, each['time_s'])} {each['text']}"[:width] for each in list(events)[-count:]]
    return [Text(row, style=DIM) for row in rows]
