# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``make bench``: all parts or some, one script after the other, and what became slower than a recorded run.

Results go to the screen and to out/bench/bench.json, where parts that were not measured anew stay.
"""

import hashlib
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import script
import typer
from figures import BenchError, Comparison, Figure, Part, Recording, compare, read_recording
from quench_topologies.process import give_session_priority
from rich.console import Console
from rich.table import Table

PARTS = {
    "dataplane": ("dataplane.py",),
    "wire": ("wire.py",),
    "control": ("control_figures.py",),
    "simulator": ("simulation.py",),
    "command-line": ("command_line.py",),
    "waits": ("waits.py",),
}
"""The scripts of each part. Each takes --json and --quick."""
PRIORITY = -20
"""The nice value of the scripts: other work of the machine disturbs less."""
DEFAULT_OUT = script.REPOSITORY / "out" / "bench" / "bench.json"


def main(
    part: Annotated[list[str] | None, typer.Option(help=f"Of {', '.join(PARTS)}, these. Repeatable.")] = None,
    quick: script.QuickOption = False,
    out: Annotated[Path, typer.Option(metavar="FILE", help="Where the figures go.")] = DEFAULT_OUT,
    compare_with: Annotated[
        Path | None, typer.Option("--compare", metavar="FILE", help="A recorded bench.json.")
    ] = None,
) -> None:
    """Measure, print ratios, write bench.json, and compare with a recorded one."""
    chosen = _chosen(part or PARTS)
    # Before it is written: it may be the same file.
    recorded = read_recording(compare_with) if compare_with is not None else None
    console = Console()
    machine = _machine()
    if os.geteuid() == 0:
        os.setpriority(os.PRIO_PROCESS, 0, PRIORITY)
    measured = {name: _measured(console, name, quick=quick) for name in chosen}
    before = read_recording(out) if out.is_file() else Recording(machine, {})
    now = before.with_parts(machine, measured)
    out.parent.mkdir(parents=True, exist_ok=True)
    now.write(out)
    console.print(str(out))
    if recorded is not None:
        _print_comparison(console, compare(recorded, now, chosen))


def _chosen(names: Iterable[str]) -> list[str]:
    chosen = [name for each in names for name in each.split(",")]
    for name in chosen:
        if name not in PARTS:
            raise BenchError(f"there is no part {name}: choose {', '.join(PARTS)}")
    return chosen


def _measured(console: Console, name: str, *, quick: bool) -> Part:
    """The figures of the scripts of a part. Raises BenchError."""
    figures: list[Figure] = []
    details: dict[str, Any] = {}
    for file in PARTS[name]:
        console.rule(f"{name}: {file}")
        found = _output(
            [sys.executable, str(Path(__file__).with_name(file)), "--json", *(["--quick"] if quick else [])]
        )
        figures += [Figure.of_json(each, value) for each, value in found["figures"].items()]
        details[file] = found.get("details")
    return Part(datetime.now(UTC).isoformat(timespec="seconds"), _commit(), quick, tuple(figures), details)


def _output(words: Sequence[str]) -> dict[str, Any]:
    """The JSON of a script's last line; what it prints for readers goes to the screen. Raises BenchError."""
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        # The kernel divides the processors among sessions first.
        give_session_priority(process.pid)
        try:
            output, _ = process.communicate()
        except BaseException:
            process.kill()
            raise
    lines = output.splitlines()
    if process.returncode != 0 or not lines:
        raise BenchError(f"'{' '.join(words)}' ended with status {process.returncode}, {len(lines)} lines: see above")
    try:
        found = json.loads(lines[-1])
        return {"figures": dict(found["figures"]), "details": found.get("details")}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BenchError(f"'{' '.join(words)}': its last line has no figures: {error}") from error


def _print_comparison(console: Console, found: Comparison) -> None:
    table = Table("part", "figure", "recorded", "now", "spread", title="Slower by more than the spread")
    for change in found.slower:
        figures = [f"{each.median:.4g} {each.unit}" for each in (change.before, change.now)]
        table.add_row(change.part, change.now.name, *figures, f"{change.spread:.4g}")
    if found.slower:
        console.print(table)
    console.print(f"{len(found.slower)} of {len(found.changes)} figures became slower by more than their spread.")
    reasons = sorted(set(found.not_judged.values()))
    for reason in reasons:
        number = sum(each == reason for each in found.not_judged.values())
        console.print(f"{number} not judged: {reason}.")


def _machine() -> dict[str, Any]:
    return {
        "id": _machine_id(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "kernel": platform.release(),
        "python": platform.python_version(),
    }


def _machine_id() -> str | None:
    """A name of this machine that does not give its id away (machine-id(5)); None where it has none."""
    try:
        own = Path("/etc/machine-id").read_bytes().strip()
    except OSError:
        return None
    return hashlib.sha256(b"quench bench" + own).hexdigest()[:16] if own else None


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _commit() -> str:
    """The commit, with + where files were changed since; empty outside a repository."""
    words = ["git", "-C", str(script.REPOSITORY), "describe", "--always", "--dirty=+", "--abbrev=12", "--exclude=*"]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    return ended.stdout.strip()


if __name__ == "__main__":
    script.run(main)
