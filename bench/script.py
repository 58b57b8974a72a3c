# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The common base of the bench's scripts: programs that they time, and the line of JSON that they end with.

Each script measures one part. It prints tables on standard error, and with --json figures as its last line.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from figures import BenchError, Figure
from rich.console import Console

REPOSITORY = Path(__file__).resolve().parents[1]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "build" / "cargo"))
"""The folder in which cargo builds."""
WIDTH = 120
QuickOption = Annotated[bool, typer.Option("--quick", help="Shorter runs, which say less.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the figures as JSON on standard output.")]


def console() -> Console:
    """Tables go beside the figures."""
    return Console(stderr=True, width=None if sys.stderr.isatty() else WIDTH, highlight=False)


def finish(figures: Iterable[Figure], details: Any, *, as_json: bool) -> None:
    """Print the line of JSON, if it was asked for."""
    if as_json:
        found = {"figures": {figure.name: figure.as_json() for figure in figures}, "details": details}
        sys.stdout.write(json.dumps(found) + "\n")


class Ended(NamedTuple):
    """A program that has ended."""

    seconds: float
    output: str


def timed(words: Sequence[str], environment: Mapping[str, str] | None = None) -> Ended:
    """Run a program that has to succeed. Raises BenchError."""
    began = time.perf_counter()
    ended = subprocess.run(
        words, capture_output=True, text=True, check=False, env={**os.environ, **(environment or {})}
    )
    took_s = time.perf_counter() - began
    if ended.returncode != 0:
        said = (ended.stderr or ended.stdout).strip().splitlines() or ["nothing"]
        raise BenchError(f"'{' '.join(words)}' failed with status {ended.returncode} and said: {said[-1]}")
    return Ended(took_s, ended.stdout)


def run(main: Any) -> None:
    """Run a script's command; an error of the bench is one line."""
    try:
        typer.run(main)
    except BenchError as error:
        sys.stderr.write(f"bench: {error}\n")
        sys.exit(1)
