# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The progress of the runs: a bar in a terminal, lines elsewhere."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn

LINES = 20
"""The approximate number of lines for all of the work, without a terminal."""


@dataclass(slots=True)
class Tally:
    """Work done and left, in estimated packets."""

    total_packets: float
    runs: int
    clock: Callable[[], float] = time.monotonic
    under_way: dict[str, float] = field(default_factory=dict)
    """The part that is done of each run under way, by its key."""
    over_packets: float = 0.0
    """Those of the runs that are over."""
    done: int = 0
    failed: int = 0
    _began_s: float = -1.0

    def begin(self) -> None:
        """Work begins now."""
        self._began_s = self.clock()

    def add(self, key: str, packets: float, *, failed: bool) -> None:
        """One run is over."""
        self.under_way.pop(key, None)
        self.done += 1
        self.over_packets += packets
        self.failed += failed

    @property
    def done_packets(self) -> float:
        """Work done."""
        return self.over_packets + sum(self.under_way.values())

    def left_s(self) -> float | None:
        """Time left at the speed so far; None before anything is done."""
        if not self.done_packets:
            return None
        return (self.clock() - self._began_s) * (self.total_packets - self.done_packets) / self.done_packets


class Display(Protocol):
    """Shows every run that is over, and what is under way."""

    def look(self, tally: Tally) -> None:
        """Time has passed."""

    def update(self, tally: Tally, name: str, seconds: float, error: str | None) -> None:
        """A run is over: its name, what it took, and what went wrong."""


class Bar:
    """A bar in a terminal."""

    def __init__(self, console: Console, progress: Progress, total_packets: float, runs: int) -> None:
        self._console = console
        self._progress = progress
        self._packets = progress.add_task("", total=total_packets, runs=f"0/{runs}", left="", failed="")

    def look(self, tally: Tally) -> None:
        """See Display."""
        self._progress.update(self._packets, completed=tally.done_packets, left=f"{readable(tally.left_s())} left")

    def update(self, tally: Tally, name: str, seconds: float, error: str | None) -> None:  # noqa: ARG002
        """See Display."""
        if error is not None:
            self._console.print(f"[red]failed:[/] {escape(name)}: {escape(error)}")
        self._progress.update(
            self._packets,
            description=escape(name),
            runs=f"{tally.done}/{tally.runs}",
            failed=f"[red]{tally.failed} failed[/]" if tally.failed else "",
        )
        self.look(tally)


class Lines:
    """Lines in a file or a pipe: one now and then, and one for every failure."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._lines = 0

    def look(self, tally: Tally) -> None:
        """See Display."""
        self._show(tally, "")

    def update(self, tally: Tally, name: str, seconds: float, error: str | None) -> None:
        """See Display."""
        if error is not None:
            self._say(f"failed: {name}: {error}")
        self._show(tally, f": {name} took {readable(seconds)}")

    def _show(self, tally: Tally, last: str) -> None:
        share = tally.done_packets / tally.total_packets
        if int(share * LINES) > self._lines or tally.done == tally.runs:
            self._lines = int(share * LINES)
            left = f"{readable(tally.left_s())} left" if tally.done < tally.runs else "done"
            failed = f", {tally.failed} failed" if tally.failed else ""
            self._say(f"{tally.done}/{tally.runs} runs{failed}, {share:.0%}, {left}{last}")

    def _say(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)


@contextmanager
def display(console: Console, total_packets: float, runs: int) -> Iterator[Display]:
    """The display that fits the console."""
    if not console.is_terminal:
        yield Lines(console)
        return
    columns = (
        BarColumn(bar_width=30),
        TextColumn("{task.percentage:.0f} %"),
        TextColumn("{task.fields[runs]} runs"),
        TextColumn("{task.fields[left]}"),
        TextColumn("{task.fields[failed]}"),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        yield Bar(console, progress, total_packets, runs)


def readable(seconds: float | None) -> str:
    """A time in seconds as text with a fitting unit; None: not known."""
    if seconds is None:
        return "?"
    if seconds < 60:
        return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"
    if seconds < 3600:
        return f"{seconds // 60:.0f} min {seconds % 60:.0f} s"
    return f"{seconds // 3600:.0f} h {seconds % 3600 // 60:.0f} min"
