# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Cold starts beside that of an empty Python program: help, completion, a small compilation, a switch that listens."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import script
import typer
from figures import BenchError, Figure, ratios
from rich.table import Table

QUENCH = str(Path(sys.executable).with_name("quench"))
SMALL = Path(__file__).with_name("forward.p4")
COMPLETED = ("quench ", "quench demo --scheme r", "quench net n1 --target e", "quench experiment run P1")
"""Lines for which a shell asks."""
MOST_COMMANDS = 12
LISTEN_S = 20.0


def main(quick: script.QuickOption = False, as_json: script.JsonOption = False) -> None:
    """Measure them in turns."""
    repetitions = 3 if quick else 10
    with tempfile.TemporaryDirectory(prefix="quench-bench-") as name:
        folder = Path(name)
        program = str(folder / "forward.json")
        script.timed([QUENCH, "compile", "-o", program, str(SMALL)])
        starts: dict[str, Callable[[], float]] = {
            "empty Python": lambda: script.timed([sys.executable, "-c", ""]).seconds,
            "quench --help": lambda: script.timed([QUENCH, "--help"]).seconds,
            "quench compile, a small program": lambda: (
                script.timed([QUENCH, "compile", "-o", program, str(SMALL)]).seconds
            ),
            "quench switch, until it listens": lambda: _listening_s(program),
        }
        times = _in_turns(starts, repetitions)
    helps = _in_turns(
        {
            **{f"{' '.join(words)} --help": _timer([QUENCH, *words, "--help"]) for words in _commands()},
            **{f"completion of '{line}'": _timer([QUENCH], _asked(line)) for line in COMPLETED},
        },
        3 if quick else 5,
    )
    empty = times["empty Python"]
    figures = [Figure(name, tuple(values), "s", "less") for name, values in times.items()]
    figures += [
        ratios(f"{name}, over an empty Python", values, empty, "less")
        for name, values in times.items()
        if values is not empty
    ]
    slowest = max(helps, key=lambda name: median(helps[name]))
    figures.append(
        Figure(
            "the slowest help or completion, over an empty Python",
            tuple(each / median(empty) for each in helps[slowest]),
            "times",
            "less",
            "ratio",
        )
    )
    console = script.console()
    table = Table("cold start", "median", "times an empty Python", title="Command line")
    for name, values in times.items():
        table.add_row(name, f"{median(values):.2f} s", f"{median(values) / median(empty):.1f}")
    for name in sorted(helps, key=lambda name: median(helps[name]), reverse=True)[:MOST_COMMANDS]:
        table.add_row(name.strip(), f"{median(helps[name]):.2f} s", f"{median(helps[name]) / median(empty):.1f}")
    console.print(table)
    script.finish(figures, {name: median(values) for name, values in helps.items()}, as_json=as_json)


def _in_turns(starts: Mapping[str, Callable[[], float]], repetitions: int) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {name: [] for name in starts}
    for _ in range(repetitions):
        for name, start in starts.items():
            times[name].append(start())
    return times


def _timer(words: Sequence[str], environment: Mapping[str, str] | None = None) -> Callable[[], float]:
    return lambda: script.timed(words, environment).seconds


def _asked(line: str) -> dict[str, str]:
    return {"_QUENCH_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1)}


def _listening_s(program: str) -> float:
    """The time until a switch with a program and no interface says that clients can connect. Raises BenchError."""
    read_end, write_end = os.pipe()
    words = [QUENCH, "switch", program, "--grpc-server-addr", "127.0.0.1:0", "--ready-fd", str(write_end)]
    began = time.perf_counter()
    with (
        os.fdopen(read_end) as ready,
        subprocess.Popen([*words, "--log-level", "error"], pass_fds=(write_end,)) as process,
    ):
        os.close(write_end)
        try:
            # The end of a switch that does not start ends the pipe.
            if not ready.readline().strip():
                raise BenchError("quench switch ended before it listened: see above")
            return time.perf_counter() - began
        finally:
            process.terminate()
            process.wait(LISTEN_S)


def _commands() -> list[tuple[str, ...]]:
    """The words of every command but the host's, whose help is another program's."""
    from quench.cli.app import app
    from quench_switch.cli.lazy import mounted

    def below(words: tuple[str, ...], command: Any) -> Iterator[tuple[str, ...]]:
        command = mounted(command) or command
        yield words
        for name, child in getattr(command, "commands", {}).items():
            if name != "host":
                yield from below((*words, name), child)

    return list(below((), typer.main.get_command(app)))


if __name__ == "__main__":
    script.run(main)
