# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""What ``quench experiment compare`` found, where it was run."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quench_experiments.report.numbers import number
from quench_experiments.runner.errors import ExperimentError

FILE = "ns2.json"
TITLES = {
    "utilisation": "utilisation",
    "loss": "loss",
    "mean_queue_bytes": "queue (B)",
    "mean_average_bytes": "RED average (B)",
    "marked_pkts": "marks",
}
_PERCENT = ("utilisation", "loss")


@dataclass(frozen=True, slots=True)
class Comparison:
    """A table for people."""

    about: str
    head: tuple[str, ...]
    rows: list[list[str]]


def read_comparison(folder: Path) -> Comparison | None:
    """The comparison with ns-2 in the folder of results; None where there is none. Raises ExperimentError."""
    path = folder / FILE
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        cases = content["cases"]
        rows = [_row(case) for case in cases]
        within = sum(bool(case["within"]) for case in cases)
        seeds = len(content["seeds"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ExperimentError(f"{path}: it cannot be read ({error}): run 'quench experiment compare' again") from error
    about = (
        f"The same settings in ns-2 and in our simulator, {seeds} seeds each: {within} of {len(cases)} cases agree "
        "in all that has a tolerance."
    )
    return Comparison(about, ("case", *TITLES.values(), "agrees"), rows)


def _row(case: dict[str, Any]) -> list[str]:
    found = {each["metric"]: each for each in case["agreements"]}
    cells = [_cell(name, found.get(name)) for name in TITLES]
    return [str(case["key"]), *cells, "yes" if case["within"] else "no"]


def _cell(name: str, agreement: dict[str, Any] | None) -> str:
    if agreement is None:
        return ""
    scale, unit = (100.0, " %") if name in _PERCENT else (1.0, "")
    theirs, ours = number(scale * agreement["theirs"]), number(scale * agreement["ours"])
    return f"{theirs}, {ours}{unit}{'' if agreement['within'] else ' ✗'}"
