# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Packets a second through the pipeline on one core, from memory to memory, by the pipeline's own benchmark."""

import json
import shutil
from pathlib import Path
from typing import Any

import script
from figures import BenchError, Figure
from rich.table import Table

REPETITIONS = 3
BMV2_PKTS_PER_S = 38_000
"""About the rate of BMv2's performance build with such a pipeline over veth on two cores."""
BENCH = ("--profile", "release", "-p", "quench-pipeline", "--features", "bench", "--bench", "pipeline")


def main(quick: script.QuickOption = False, as_json: script.JsonOption = False) -> None:
    """Measure it."""
    cargo = shutil.which("cargo")
    if cargo is None:
        raise BenchError("cargo is not on the PATH: run 'make setup'")
    words = [cargo, "bench", "--quiet", "--locked", "--manifest-path", str(script.REPOSITORY / "Cargo.toml"), *BENCH]
    words += ["--", "pipeline", *(["--quick"] if quick else [])]
    rates: dict[str, list[float]] = {}
    for _ in range(REPETITIONS):
        script.timed(words, {"CARGO_TARGET_DIR": str(script.TARGET)})
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
    script.finish(figures, None, as_json=as_json)


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    script.run(main)
