# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Both simulators' numbers as text: Markdown for docs/validation/ns2.md, rows for the screen."""

import statistics
from collections.abc import Callable, Sequence

from quench_experiments.comparison.kernel import Pair
from quench_experiments.comparison.one_flow import Nearness, OneFlow
from quench_experiments.comparison.outcome import Spread
from quench_experiments.comparison.side_by_side import Agreement, Row


def _percent(value: float) -> str:
    return f"{value * 100:.2f}"


def _bytes(value: float) -> str:
    return f"{value:.0f}"


_COLUMNS: tuple[tuple[str, str, Callable[[float], str]], ...] = (
    ("utilisation", "utilisation %", _percent),
    ("loss", "loss %", _percent),
    ("mean_queue_bytes", "queue B", _bytes),
    ("sd_queue_bytes", "its deviation", _bytes),
    ("mean_average_bytes", "RED average B", _bytes),
    ("marked_pkts", "marks", _bytes),
)
_EXTRA: tuple[tuple[str, str, Callable[[float], str]], ...] = (
    ("gain", "goodput over plain %", _percent),
    ("gain_over_ecn", "goodput over ECN %", _percent),
    ("signalled_loss", "their loss %", _percent),
    ("plain_loss", "loss of plain %", _percent),
    ("isq_share", "ISQs in the reverse packets %", _percent),
)
BASIS = {"run": "", "recorded": " (recorded)", "extended": " (extended ns-2)"}
HEADING = ["case", *(title for _, title, _ in _COLUMNS), "within"]


def main_cells(row: Row) -> list[str]:
    """One case as cells, "ns-2 / ours" in each."""
    verdict = "yes" if row.within else "**no**: " + ", ".join(_words(a) for a in row.agreements if not a.within)
    cells = [_both(row, name, form) for name, _, form in _COLUMNS]
    return [row.case.key + BASIS[row.basis], *cells, verdict]


def main_table(rows: Sequence[Row]) -> str:
    """All cases, "ns-2 / ours" in each cell."""
    return _markdown(HEADING, [main_cells(row) for row in rows])


def extra_table(rows: Sequence[Row]) -> str:
    """The metrics without a tolerance: goodput gains, losses by group, the share of ISQs."""
    cells = [
        [row.case.key, title, *(_spread(side.get(name), form) for side in (row.theirs, row.ours))]
        for row in rows
        for name, title, form in _EXTRA
        if name in row.theirs or name in row.ours
    ]
    return _markdown(["case", "", "ns-2", "ours"], cells)


def window_table(flows: Sequence[OneFlow], found: Sequence[Nearness]) -> str:
    """One flow's window in both, for several paths."""
    heading = ["recovery", "rate kb/s", "delay ms", "buffer", "same window", "mean difference", "largest", "first at"]
    cells = [
        [
            flow.recovery,
            f"{flow.rate_bps / 1e3:g}",
            f"{flow.delay_s * 1e3:g}",
            f"{flow.buffer_pkts} packets",
            f"{near.same_share:.2%} of the time",
            f"{near.mean_pkts:.3f}",
            f"{near.largest_pkts:.2f}",
            "-" if near.first_s is None else f"{near.first_s:.2f} s",
        ]
        for flow, near in zip(flows, found, strict=True)
    ]
    return _markdown(heading, cells)


_KERNEL_COLUMNS: tuple[tuple[str, str, Callable[[float], str]], ...] = (
    ("goodput_bps", "goodput Mb/s", lambda value: f"{value / 1e6:.2f}"),
    ("utilisation", "utilisation %", _percent),
    ("loss", "loss %", _percent),
    ("mean_queue_pkts", "queue packets", lambda value: f"{value:.1f}"),
    ("sd_queue_pkts", "its deviation", lambda value: f"{value:.1f}"),
    ("marked_pkts", "marks", _bytes),
    ("isqs", "ISQs", _bytes),
    ("retransmitted_pkts", "sent again", _bytes),
)


def kernel_table(pairs: Sequence[Pair]) -> str:
    """Kernel and simulation, "kernel / simulation" in each cell; the simulation's numbers are means over its seeds."""
    cells = [
        [
            pair.scheme,
            str(pair.flows),
            *(
                f"{form(getattr(pair.kernel, name))} / "
                f"{form(statistics.fmean(getattr(run, name) for run in pair.simulated))}"
                for name, _, form in _KERNEL_COLUMNS
            ),
        ]
        for pair in pairs
    ]
    return _markdown(["scheme", "flows", *(title for _, title, _ in _KERNEL_COLUMNS)], cells)


def _both(row: Row, name: str, form: Callable[[float], str]) -> str:
    theirs, ours = row.theirs.get(name), row.ours.get(name)
    return f"{form(theirs.mean) if theirs else '-'} / {form(ours.mean) if ours else '-'}"


def _spread(spread: Spread | None, form: Callable[[float], str]) -> str:
    if spread is None:
        return "-"
    return f"{form(spread.mean)} ± {form(spread.sd)}" if spread.sd else form(spread.mean)


def _words(agreement: Agreement) -> str:
    name = agreement.metric.removesuffix("_bytes").removesuffix("_pkts").replace("_", " ")
    if agreement.relative:
        return f"{name} {agreement.difference:+.1%}"
    if agreement.metric in ("utilisation", "loss"):
        return f"{name} {agreement.difference * 100:+.2f} points"
    return f"{name} {agreement.difference:+.4g}"


def _markdown(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(heading)} |", f"|{'---|' * len(heading)}"]
    lines.extend(f"| {' | '.join(cells)} |" for cells in rows)
    return "\n".join(lines) + "\n"
