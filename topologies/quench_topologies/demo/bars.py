# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The demo's bars, which compare the schemes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from quench.colours import AMBER, BLACK, BLUE, DEPTH, DROPPED_EARLY, DROPPED_FORCED, GREY, MARKED, SKY
from quench.report.chart import BarPanel, Bars, Hatch

Scheme = Mapping[str, Any]


def comparison(schemes: Sequence[Scheme]) -> list[BarPanel]:
    """The schemes side by side, a panel for each number that says something.

    One scheme alone is compared with nothing but the flows beside its own, where there are such.
    """
    return [panel for panel in _panels(schemes) if any(panel.ends())]


def left_out(schemes: Sequence[Scheme]) -> list[str]:
    """The titles of panels that would be empty: the number is 0 for every scheme."""
    return [panel.title for panel in _panels(schemes) if not any(panel.ends())]


def _panels(schemes: Sequence[Scheme]) -> Iterator[BarPanel]:
    names = [scheme["name"] for scheme in schemes]
    if len(schemes) > 1:
        return _bars(names, schemes)
    return _goodput(names, schemes) if len(schemes[0]["groups"]) > 1 else iter(())


def _bars(names: Sequence[str], schemes: Sequence[Scheme]) -> Iterator[BarPanel]:
    def panel(title: str, unit: str, key: str, form: str, scale: float = 1.0, **more: Any) -> Iterator[BarPanel]:
        values = [_scaled(scheme[key], scale) for scheme in schemes]
        if any(value is not None for value in values):
            yield BarPanel(title, unit, names, [Bars("", values, BLUE)], _texts(values, form), **more)

    drops: Sequence[tuple[str, str, Hatch]] = (
        ("early", DROPPED_EARLY.light, ""),
        ("forced", DROPPED_FORCED.light, "/"),
        ("overflow", BLACK, "x"),
    )
    yield BarPanel(
        "Packets lost",
        "packets",
        names,
        [
            Bars(kind, [each[f"dropped_{kind}_pkts"] for each in schemes], colour, hatch)
            for kind, colour, hatch in drops
        ],
        _texts([each["dropped_pkts"] for each in schemes], ".0f"),
    )
    if len(schemes[0]["links"]) == 1:
        # Behind several links the marks of all of them are in the packets.
        ect1, ce = ([each[f"crossed_{name}_pkts"] for each in schemes] for name in ("ect1", "ce"))
        marks = [Bars("ECT(1)", ect1, SKY), Bars("CE", ce, MARKED.light, "/")]
        totals = [sum(pair) for pair in zip(ect1, ce, strict=True)]
        yield BarPanel("Packets marked", "packets", names, marks, _texts(totals, ".0f"))
    else:
        yield from panel("Packets marked", "packets", "marked_pkts", ".0f")
    yield from panel("Source quenches sent", "packets", "isqs_sent_pkts", ".0f")
    in_bytes = all(each["queue_mean_bytes"] is not None for each in schemes)
    unit, scale = ("bytes", 1e-3) if in_bytes else ("pkts", 1.0)
    means, deviations = ([_scaled(each[f"queue_{name}_{unit}"], scale) for each in schemes] for name in ("mean", "sd"))
    queue = Bars("", means, DEPTH.light, errors=deviations)
    yield BarPanel("Queue: mean, deviation", "KB" if in_bytes else "packets", names, [queue], _texts(means, ".1f"))
    unused = [max(0.0, 100 - each["utilisation_percent"]) for each in schemes]
    yield BarPanel(
        "Capacity that was not used", "% of the rate", names, [Bars("", unused, GREY)], _texts(unused, ".2f")
    )
    yield from _goodput(names, schemes)
    yield from panel("UDP lost", "%", "udp_loss_percent", ".2f")
    yield from panel("UDP: mean delay", "ms", "udp_delay_mean_s", ".1f", 1e3)


def _goodput(names: Sequence[str], schemes: Sequence[Scheme]) -> Iterator[BarPanel]:
    """The goodput of a flow; in mixed runs, that of both kinds on the same scale."""

    def of(group: int, key: str = "goodput_mean_bps") -> list[float | None]:
        groups = [each["groups"] for each in schemes]
        return [_scaled(each[group][key], 1e-3) if len(each) > group else None for each in groups]

    kinds = [("Goodput of a flow", 0, BLUE)]
    if any(len(each["groups"]) > 1 for each in schemes):
        kinds = [("Goodput of the scheme's flows", 0, BLUE), ("Goodput of the others", 1, AMBER)]
    ends = [
        (value or 0.0) + (error or 0.0)
        for _, group, _ in kinds
        for value, error in zip(of(group), of(group, "goodput_error_bps"), strict=True)
    ]
    for title, group, colour in kinds:
        bars = Bars("", of(group), colour, errors=of(group, "goodput_error_bps"))
        yield BarPanel(title, "kb/s", names, [bars], _texts(bars.values, ".0f"), value_range=(0.0, max(ends)))


def _scaled(value: float | None, scale: float) -> float | None:
    return None if value is None else scale * value


def _texts(values: Sequence[float | None], form: str) -> list[str]:
    return ["" if value is None else format(value, form) for value in values]
