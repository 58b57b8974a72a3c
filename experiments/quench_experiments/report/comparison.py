# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The results of ``quench experiment compare``, where it was run."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quench_switch.outside.files import read_json
from quench_switch.outside.text import counted

from quench_experiments.errors import ExperimentError
from quench_experiments.report.numbers import number
from quench_experiments.runner.folder import MAX_BYTES

NS2, KERNEL = "ns2.json", "kernel.json"
TITLES = {
    "utilisation": "utilisation",
    "loss": "loss",
    "mean_queue_bytes": "queue (B)",
    "mean_average_bytes": "RED average (B)",
    "marked_pkts": "marks",
}
KERNEL_TITLES = {
    "goodput_bps": "goodput (b/s)",
    "utilisation": "utilisation",
    "loss": "loss",
    "mean_queue_pkts": "queue (packets)",
    "marked_pkts": "marks",
    "isqs": "ISQs",
}
_PERCENT = ("utilisation", "loss")


@dataclass(frozen=True, slots=True)
class Comparison:
    """A table of the report."""

    key: str
    title: str
    about: str
    cells: str
    """The content of each."""
    head: tuple[str, ...]
    rows: list[list[str]]


def read_comparisons(folder: Path) -> list[Comparison]:
    """The tables whose results are in the folder. Raises ExperimentError."""
    found = []
    for name, read in ((NS2, _with_ns2), (KERNEL, _with_kernel)):
        path = folder / name
        try:
            found.append(read(read_json(path, MAX_BYTES)))
        except FileNotFoundError:
            continue
        except (OSError, ValueError, KeyError, TypeError, AttributeError, ZeroDivisionError) as error:
            raise ExperimentError(
                f"{path}: it cannot be read ({error}): run 'quench experiment compare' again"
            ) from error
    return found


def _with_ns2(content: dict[str, Any]) -> Comparison:
    cases = content["cases"]
    within = sum(bool(case["within"]) for case in cases)
    about = (
        f"The same settings in ns-2 and in our simulator, {counted(len(content['seeds']), 'seed')} each: "
        f"{within} of {counted(len(cases), 'case')} agree in all that has a tolerance."
    )
    head = ("case", *TITLES.values(), "agrees")
    return Comparison("ns-2", "Beside ns-2", about, "ns-2, ours", head, [_row(case) for case in cases])


def _with_kernel(cases: list[dict[str, Any]]) -> Comparison:
    about = (
        "The demo's dumbbell on the embedded switch, with TCP of the Linux kernel, and the same in our simulator "
        "(mean over the seeds)."
    )
    head = ("scheme", "flows", *KERNEL_TITLES.values())
    return Comparison("kernel", "Beside the kernel", about, "kernel, ours", head, [_kernel_row(case) for case in cases])


def _kernel_row(case: dict[str, Any]) -> list[str]:
    runs = case["simulated"]
    ours = {name: sum(run[name] for run in runs) / len(runs) for name in KERNEL_TITLES}
    cells = [_pair(name, case["kernel"][name], ours[name]) for name in KERNEL_TITLES]
    return [str(case["scheme"]), str(case["flows"]), *cells]


def _row(case: dict[str, Any]) -> list[str]:
    found = {each["metric"]: each for each in case["agreements"]}
    cells = [_cell(name, found.get(name)) for name in TITLES]
    return [str(case["key"]), *cells, "yes" if case["within"] else "no"]


def _cell(name: str, agreement: dict[str, Any] | None) -> str:
    if agreement is None:
        return ""
    return _pair(name, agreement["theirs"], agreement["ours"]) + ("" if agreement["within"] else " ✗")


def _pair(name: str, theirs: float, ours: float) -> str:
    scale, unit = (100.0, " %") if name in _PERCENT else (1.0, "")
    return f"{number(scale * theirs)}, {number(scale * ours)}{unit}"
