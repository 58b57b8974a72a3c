# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``make -C softswitch samples``: p4c's own samples through compiler and switch, compared with p4c's outputs.

A sample is a file below ``testdata/p4_16_samples`` that names ``v1model.p4``. Everything is read from the checkout, and
nothing is written to it.
"""

import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final

import typer
from quench_switch import CompileError, DataPlaneError, compile_p4
from quench_switch._native import Program
from quench_switch.cli.commands import Commands
from quench_switch.stf.runner import run_test
from quench_switch.stf.syntax import StfSyntaxError

OUTPUTS: Final = (("P4Info", ".p4info.txtpb"), ("entries", ".entries.txtpb"))
"""The files that p4c writes besides the JSON, and the end of the expected file's name."""
P4C_TIMEOUT_S: Final = 120
ARCHITECTURE: Final = "v1model.p4"
_ERROR_LINE: Final = re.compile(r"\((\d+)\)[^\n]*?error")

app = Commands()


@dataclass
class Seen:
    """The outcome for one file. Counts are by their row of the table."""

    name: str
    counted: dict[str, bool] = field(default_factory=dict)
    """Whether it counts as a success in a row."""
    notes: list[str] = field(default_factory=list)
    """Lines about it for below the table."""

    def note(self, text: str) -> None:
        """Add a line with the file's name."""
        self.notes.append(f"{self.name}: {' '.join(text.split())}")


@dataclass(frozen=True)
class Checkout:
    """A checkout of p4c, and the command of a built one."""

    root: Path
    p4c: str | None

    @property
    def data(self) -> Path:
        """Programs and expected outputs."""
        return self.root / "testdata"

    def refused_by_p4c(self, program: Path) -> str | None:
        """The errors of ``p4c-bm2-ss``; None where it compiles the program. Without the command: what is expected."""
        if self.p4c is None:
            expected = self.data / f"{program.parent.name}_outputs" / f"{program.name}-stderr"
            text = expected.read_text(errors="replace") if expected.exists() else ""
            return text if "error" in text else None
        with tempfile.TemporaryDirectory(prefix="quench-samples-") as place:
            info = ("--p4runtime-files", f"{place}/out.txtpb")
            command = [*self.p4c.split(), "-o", f"{place}/out.json", *info, str(program)]
            done = subprocess.run(command, capture_output=True, text=True, timeout=P4C_TIMEOUT_S, check=False)
        return (done.stderr or f"status {done.returncode}") if done.returncode else None


def first_error(error: CompileError) -> str:
    """The first line of the first error."""
    return next((text for text in error.diagnostics if "error:" in text.split("\n")[0]), "").split("\n")[0]


def sample(checkout: Checkout, program: Path) -> Seen:
    """Compile a sample, compare, load, and run its tests."""
    seen = Seen(str(program.relative_to(checkout.data)))
    try:
        output = compile_p4(str(program))
    except CompileError as error:
        theirs = checkout.refused_by_p4c(program)
        row = "refused, as by p4c" if theirs else "refused"
        seen.counted = {"compiled": False, row: True}
        seen.note(f"{row}: {first_error(error).rpartition('error: ')[2]}")
        return seen
    seen.counted["compiled"] = True
    for (what, suffix), text in zip(OUTPUTS, (output.p4info_text, output.entries_text), strict=True):
        expected = checkout.data / "p4_16_samples_outputs" / f"{program.name}{suffix}"
        if expected.exists():
            same = expected.read_text() == text
            seen.counted[f"{what} equal to p4c's, byte by byte"] = same
            if not same:
                seen.note(f"{what} differs from {expected.name}")
    test = program.with_suffix(".stf")
    for kind, interpreted in (("machine code", False), ("interpreter", True)):
        try:
            Program(output.json, interpreted=interpreted)
            seen.counted[f"loaded, {kind}"] = True
            difference = run_test(output.json, test, interpreted=interpreted) if test.exists() else None
        except (DataPlaneError, StfSyntaxError) as error:
            seen.counted[f"loaded, {kind}"] = not isinstance(error, DataPlaneError)
            seen.note(f"{kind}: {error}")
            continue
        if test.exists():
            seen.counted[f"STF, {kind}"] = difference is None
            if difference is not None:
                seen.note(f"STF, {kind}, line {difference.line}: {difference.message}")
    return seen


def wrong_program(checkout: Checkout, program: Path) -> Seen:
    """Compile a program that p4c refuses, and compare the lines of the errors."""
    seen = Seen(str(program.relative_to(checkout.data)))
    folder = program.parent.name
    try:
        compile_p4(str(program))
    except CompileError as error:
        seen.counted[f"refused of {folder}"] = True
        theirs = lines(_ERROR_LINE, checkout.refused_by_p4c(program) or "")
        ours = lines(re.compile(rf"{re.escape(program.name)}:(\d+):\d+: error"), "\n".join(error.diagnostics))
        if theirs:
            near = any(abs(line - other) <= 1 for line in theirs for other in ours)
            seen.counted[f"an error of {folder} on p4c's line or the next"] = near
        return seen
    if checkout.p4c is not None and checkout.refused_by_p4c(program) is None:
        seen.counted[f"accepted of {folder}, as by p4c"] = True
        return seen
    seen.counted[f"refused of {folder}"] = False
    seen.note("accepted")
    return seen


def lines(pattern: re.Pattern[str], text: str) -> set[int]:
    """The line numbers that a pattern finds."""
    return {int(number) for number in pattern.findall(text)}


def table(all_seen: Iterable[Seen]) -> list[str]:
    """A row of Markdown for each count."""
    counts: dict[str, tuple[int, int]] = {}
    for seen in all_seen:
        for row, success in seen.counted.items():
            good, whole = counts.get(row, (0, 0))
            counts[row] = (good + success, whole + 1)
    return [
        "| what | count |",
        "|---|---|",
        *(f"| {row} | {good} of {whole} |" for row, (good, whole) in counts.items()),
    ]


def programs(folder: Path, naming: str = "") -> list[Path]:
    """The programs below a folder, in order, that name something."""
    found = sorted(folder.rglob("*.p4"))
    return [path for path in found if path.is_file() and naming in path.read_text(errors="replace")]


@app.command()
def main(
    root: Annotated[Path, typer.Argument(metavar="CHECKOUT", exists=True, file_okay=False, help="A checkout of p4c.")],
    p4c: Annotated[
        str | None, typer.Option(metavar="COMMAND", help="p4c-bm2-ss with its options, to ask it about refusals.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Processes at once.")] = os.cpu_count() or 1,
) -> None:
    """Print how many of p4c's samples compile, agree with p4c, load and pass; then each that does not."""
    checkout = Checkout(root.resolve(), p4c)
    work: Sequence[tuple[Callable[[Checkout, Path], Seen], list[Path]]] = (
        (sample, programs(checkout.data / "p4_16_samples", ARCHITECTURE)),
        (wrong_program, programs(checkout.data / "p4_16_errors")),
        (wrong_program, programs(checkout.data / "p4_16_bmv_errors")),
    )
    if not work[0][1]:
        raise typer.BadParameter(f"{root} has no testdata/p4_16_samples: give a checkout of p4c")
    all_seen: list[Seen] = []
    with ProcessPoolExecutor(max_workers=jobs) as pool:
        for check, paths in work:
            all_seen += pool.map(check, [checkout] * len(paths), paths)
    for line in [*table(all_seen), "", *(note for seen in all_seen for note in seen.notes)]:
        typer.echo(line)


if __name__ == "__main__":
    app()
