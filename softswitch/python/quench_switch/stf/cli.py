# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The command ``quench stf``: programs and the tests that follow them."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quench_switch.arch import Arch
from quench_switch.cli.commands import Commands, DefineOption, IncludeOption
from quench_switch.outside.files import PROGRAM_BYTES, read_file
from quench_switch.outside.text import printable_lines

if TYPE_CHECKING:
    from quench_switch._native import Traces
    from quench_switch.trace.packet_trace_pb2 import PacketTrace


class Verdict(IntEnum):
    """Exit statuses, from good to bad."""

    PASS = 0
    FAIL = 1
    ERROR = 2


def group(paths: Sequence[Path]) -> list[tuple[Path, list[Path]]]:
    """Each program with its tests. One that no test follows is tested by the file of its name.

    Raises ``ValueError`` with what is wrong.
    """
    groups: list[tuple[Path, list[Path]]] = []
    for path in paths:
        if path.suffix == ".stf":
            if not groups:
                raise ValueError(f"{path}: a program has to stand before its tests")
            groups[-1][1].append(path)
        elif path.suffix in (".p4", ".json"):
            groups.append((path, []))
        else:
            raise ValueError(f"{path}: neither a program (.p4, .json) nor a test (.stf)")
    for program, tests in groups:
        if not tests:
            tests.append(program.with_suffix(".stf"))
    return groups


def load_program(program: Path, include_dirs: Sequence[str], defines: Sequence[str], arch: Arch | None = None) -> str:
    """BMv2 JSON of a program, of the architecture that it includes if none is given.

    Raises ``CompileError`` and ``OSError``.
    """
    from quench_switch._native import compile_p4

    from .tofino import guess_architecture

    if program.suffix == ".json":
        return read_file(program, PROGRAM_BYTES).decode()
    written_for = arch or guess_architecture(program, include_dirs, defines)
    output = compile_p4(str(program), include_dirs, defines, arch=written_for)
    for warning in output.warnings:
        _say(warning, err=True)
    return output.json


def run_group(
    program: Path,
    tests: Sequence[Path],
    include_dirs: Sequence[str],
    defines: Sequence[str],
    *,
    arch: Arch | None = None,
    seed: int,
    interpreted: bool,
    priority_queues: int,
    trace: bool = False,
) -> Verdict:
    """Compile a program and run its tests, with one line about each."""
    from quench_switch._native import CompileError
    from quench_switch.errors import DataPlaneError

    from .runner import run_test
    from .syntax import StfSyntaxError

    try:
        json = load_program(program, include_dirs, defines, arch)
    except CompileError as error:
        _say("\n".join(error.diagnostics), err=True)
        return Verdict.ERROR
    except (OSError, UnicodeDecodeError) as error:
        _say(f"ERROR {program}: {error}", err=True)
        return Verdict.ERROR
    worst = Verdict.PASS
    for test in tests:
        try:
            difference = run_test(
                json,
                test,
                seed=seed,
                interpreted=interpreted,
                priority_queues=priority_queues,
                on_traces=_show if trace else None,
            )
        except StfSyntaxError as error:
            _say(f"ERROR {error}", err=True)
            worst = Verdict.ERROR
            continue
        except (DataPlaneError, OSError, UnicodeDecodeError) as error:
            _say(f"ERROR {program} with {test}: {error}", err=True)
            worst = Verdict.ERROR
            continue
        if difference is None:
            _say(f"PASS {test}")
        else:
            _say(f"FAIL {test}:{difference.line}: {difference.message}")
            worst = max(worst, Verdict.FAIL)
    return worst


def _show(session: Traces) -> None:
    """The trees of a test's packets."""
    from quench_switch.trace.offline import collect
    from quench_switch.trace.tree import show, trees

    traces: list[PacketTrace] = []
    collect(session, traces.append)
    show(trees(traces))
    if session.lost:
        _say(f"{session.lost} traces were lost", err=True)


def _say(text: str, *, err: bool = False) -> None:
    """Programs and tests come from anywhere, and are quoted."""
    typer.echo(printable_lines(text), err=err)


def stf(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="PROGRAM [TEST.stf ...]...",
            help="A program (.p4, or .json as compiled) and its tests; without one the .stf of its name.",
            show_default=False,
        ),
    ],
    include: IncludeOption = None,
    define: DefineOption = None,
    arch: Annotated[
        Arch | None,
        typer.Option(
            "--arch",
            help="Architecture of all programs, instead of that of the files which each includes.",
        ),
    ] = None,
    priority_queues: Annotated[int, typer.Option(metavar="QUEUES", min=1, max=8, help="Queues of each port.")] = 1,
    seed: Annotated[int, typer.Option(metavar="NUMBER", min=0, max=2**64 - 1, help="Seed of all that is random.")] = 1,
    interpreted: Annotated[
        bool, typer.Option("--interpreted", help="Interpret the programs instead of making machine code of them.")
    ] = False,
    trace: Annotated[bool, typer.Option("--trace", help="Show what the program does with each packet.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show packets and answers of commands.")] = False,
) -> None:
    """Run tests in p4c's STF format on the embedded switch, in virtual time.

    The status is 0 if all pass, 1 if one fails, 2 if a program does not compile or a test is not STF.
    """
    try:
        groups = group(files)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    if verbose:
        logging.basicConfig(level=logging.DEBUG, stream=sys.stdout, format="%(message)s", force=True)
    verdicts = [
        run_group(
            program,
            tests,
            [str(folder) for folder in include or ()],
            define or [],
            arch=arch,
            seed=seed,
            interpreted=interpreted,
            priority_queues=priority_queues,
            trace=trace,
        )
        for program, tests in groups
    ]
    raise typer.Exit(max(verdicts))


app = Commands()
app.command("stf")(stf)


if __name__ == "__main__":
    app(prog_name="quench stf")
