# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Packets a second through the pipeline, from memory to memory, by the pipeline's own benchmarks.

The second one compares ways to share it between two threads: p4src/tests/benches/threads.rs describes them.
"""

import json
import shutil
from pathlib import Path
from statistics import median
from typing import Any

import script
from figures import BenchError, Figure, ratios
from rich.table import Table

REPETITIONS = 3
BMV2_PKTS_PER_S = 38_000
"""About the rate of BMv2's performance build with such a pipeline over veth on two cores."""
PACKAGE = ("--profile", "release", "-p", "quench-pipeline", "--features", "bench")


def main(quick: script.QuickOption = False, as_json: script.JsonOption = False) -> None:
    """Measure it."""
    rates: dict[str, list[float]] = {}
    for _ in range(REPETITIONS):
        _cargo("pipeline", "pipeline", *(["--quick"] if quick else []))
        for folder in sorted((script.TARGET / "criterion" / "pipeline").iterdir()):
            if (folder / "new").is_dir():
                nanoseconds = _read(folder / "new" / "estimates.json")["mean"]["point_estimate"]
                packets = _read(folder / "new" / "benchmark.json")["throughput"]["Elements"]
                rates.setdefault(folder.name, []).append(packets / nanoseconds * 1e9)
    figures = [Figure(name, tuple(values), "packets/s", "more") for name, values in rates.items()]
    table = Table("packets", "a second", "times BMv2's", title="Data plane, one core, memory to memory")
    for figure in figures:
        table.add_row(figure.name, f"{figure.median:,.0f}", f"{figure.median / BMV2_PKTS_PER_S:.0f}")
    script.console().print(table)
    script.finish(figures + _threads(quick), None, as_json=as_json)


def _threads(quick: bool) -> list[Figure]:
    """Two threads in each way: their rate, to that of one and to that of one with one lock."""
    rates: dict[tuple[str, int, int], list[float]] = {}
    for line in _cargo("threads", "1" if quick else "9").splitlines():
        found = json.loads(line)
        case = (found["way"], found["outside_ns"], found["threads"])
        rates.setdefault(case, []).append(found["packets_per_s"])
    figures: list[Figure] = []
    title = "Two threads, from memory to memory"
    table = Table("data plane", "other work, ns", "k packets/s", "times its one", "times one with a lock", title=title)
    for (way, outside_ns, threads), values in rates.items():
        if threads == 2:
            alone, locked = rates[way, outside_ns, 1], rates["lock", outside_ns, 1]
            figure = ratios(f"{way}, {outside_ns} ns outside, two threads to one", values, alone, "more")
            to_lock = ratios(f"{way}, {outside_ns} ns outside, two threads to one lock", values, locked, "more")
            row = (f"{median(values) / 1e3:,.0f}", f"{figure.median:.2f}", f"{to_lock.median:.2f}")
            table.add_row(way, str(outside_ns), *row)
            figures += [figure, to_lock]
    script.console().print(table)
    return figures


def _cargo(bench: str, *arguments: str) -> str:
    """The output of a benchmark. Raises BenchError."""
    cargo = shutil.which("cargo")
    if cargo is None:
        raise BenchError("cargo is not on the PATH: run 'make setup'")
    words = [cargo, "bench", "--quiet", "--locked", "--manifest-path", str(script.REPOSITORY / "Cargo.toml"), *PACKAGE]
    return script.timed([*words, "--bench", bench, "--", *arguments], {"CARGO_TARGET_DIR": str(script.TARGET)}).output


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    script.run(main)
