# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The figures of the control plane, by control.py: entries a second, waits of packets, ternary matches."""

import json
import sys
from pathlib import Path
from typing import Any

import script
from figures import Figure, ratios
from rich.table import Table

CONTROL = Path(__file__).with_name("control.py")
RUNS = (("1000,100000",), ("1000000", "exact,lpm"))
"""Sizes of tables, and kinds where not all are measured."""
QUICK_RUNS = (("1000",),)
REPETITIONS = 2
SHOWN = ("fill", "read", "batch_1", "batch_100", "batch_1000")
WAITS = {
    "the longest wait of a packet": ("batch_1", "batch_100", "batch_1000"),
    "the longest wait beside batches that are rolled back on errors": ("rollback_1000",),
    "the longest wait beside atomic batches of 1000": ("atomic_1000",),
    "the longest wait beside atomic batches of 10 000": ("atomic_10000",),
}


def main(quick: script.QuickOption = False, as_json: script.JsonOption = False) -> None:
    """Measure all."""
    turns = [_turn(QUICK_RUNS if quick else RUNS) for _ in range(REPETITIONS)]
    first = turns[0]
    figures = []
    table = Table("table", "entries", *(f"{name.replace('_', ' of ')}" for name in SHOWN), "packet waits, longest ms")
    for kind, size in first["tables"]:
        found = [turn["tables"][kind, size] for turn in turns]
        place = f"{kind}, {size} entries"
        rates = {name: tuple(_rate(each[name]) for each in found) for name in SHOWN}
        figures += [Figure(f"{place}, {name}", values, "entries/s", "more") for name, values in rates.items()]
        shown = []
        for what, names in WAITS.items():
            waits = tuple(max(each[name]["packets"]["longest_ms"] for name in names) for each in found)
            figures.append(Figure(f"{place}, {what}", waits, "ms", "less"))
            shown.append(f"{max(waits):.1f}")
        table.add_row(kind, size, *(f"{max(values):,.0f}" for values in rates.values()), " / ".join(shown))
    counts = list(first["ternary_packet_ns"])
    for count in counts:
        times = [turn["ternary_packet_ns"][count] for turn in turns]
        figures.append(Figure(f"a packet over {count} ternary entries", tuple(times), "ns", "less"))
        if count != counts[0]:
            least = [turn["ternary_packet_ns"][counts[0]] for turn in turns]
            name = f"a packet over {count} ternary entries, over {counts[0]}"
            figures.append(ratios(name, times, least, "less"))
    console = script.console()
    console.print(table)
    for figure in figures[-2 * len(counts) + 1 :]:
        console.print(f"{figure.name}: {figure.median:.4g} {figure.unit}")
    script.finish(figures, None, as_json=as_json)


def _turn(runs: tuple[tuple[str, ...], ...]) -> dict[str, Any]:
    """The results by (kind, size)."""
    tables: dict[tuple[str, str], Any] = {}
    ternary: dict[str, float] = {}
    for words in runs:
        found = json.loads(script.timed(["unshare", "--net", sys.executable, str(CONTROL), *words]).output)
        tables |= {(kind, size): each for kind, sizes in found["tables"].items() for size, each in sizes.items()}
        ternary = found["ternary_packet_ns"]
    return {"tables": tables, "ternary_packet_ns": ternary}


def _rate(found: dict[str, Any]) -> float:
    """The rate of filling or reading, or of the insertions of a batch."""
    return float(found.get("insert", found)["entries_per_s"])


if __name__ == "__main__":
    script.run(main)
