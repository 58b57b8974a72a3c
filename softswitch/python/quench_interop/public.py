# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``make -C softswitch public``: public P4 programs through compiler and switch, compared with the page's table.

``public_programs.toml`` declares the programs and what became of them. Everything is read from checkouts
``CHECKOUTS/OWNER/NAME``, and nothing is written to them. ``softswitch/docs/public-programs.md`` has the table.
"""

import re
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal

import typer
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from quench_switch import CompileError, DataPlaneError, compile_p4
from quench_switch._native import Program
from quench_switch.cli.commands import Commands
from quench_switch.stf.runner import run_test
from quench_switch.stf.syntax import StfSyntaxError

from quench_interop.public_behaviour import TESTS

HERE: Final = Path(__file__).parent
DECLARATIONS: Final = HERE / "public_programs.toml"
GENERATOR_S: Final = 60
KINDS: Final = (("machine code", False), ("interpreted", True))

app = Commands()


class Declared(BaseModel):
    """A program, how it is compiled, and what the page says of it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    repository: str = Field(pattern=r"^[\w.-]+/[\w.-]+$")
    path: str
    architecture: Literal["v1model", "v1model-2021", "tna"]
    include: tuple[str, ...] = ()
    """Folders of the checkout."""
    define: tuple[str, ...] = ()
    refused: str | None = None
    """A regular expression that the first error contains; without it the program compiles."""
    does_not_load: str | None = None
    """The same for the error of loading."""
    does: Literal["yes", "in part", "not checked"] = "not checked"
    """Whether it does what its authors say."""
    how: str = ""
    """The check that was made, or the reason why it is refused; Markdown."""
    test: str | None = None
    """The name of one of :data:`TESTS`, which passes."""
    priority_queues: int = Field(default=1, ge=1, le=8)
    generator: tuple[str, ...] = ()
    """A Python script of the checkout with its arguments, which makes the program's text; ``{output}`` is its file."""

    @model_validator(mode="after")
    def consistent(self) -> "Declared":
        """Check that a refused program has no test, and that only a test says what a program does."""
        if (self.refused or self.does_not_load) is not None and self.does != "not checked":
            raise ValueError(f"{self.name}: a program that does not run has no test")
        if (self.does == "not checked") != (self.test is None):
            raise ValueError(f"{self.name}: does is {self.does!r}, and the test is {self.test or 'none'}")
        if self.test is not None and self.test not in TESTS:
            raise ValueError(f"{self.name}: no test {self.test}: one of {', '.join(TESTS)}")
        return self

    @property
    def name(self) -> str:
        """Repository and path."""
        return f"{self.repository} {self.path}"


class Declarations(BaseModel):
    """The whole file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    revisions: dict[str, Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]]
    """The commit of each repository."""
    program: tuple[Declared, ...]

    @model_validator(mode="after")
    def consistent(self) -> "Declarations":
        """Each repository has a revision, and each revision a program."""
        named = {program.repository for program in self.program}
        if named != self.revisions.keys():
            raise ValueError(f"revisions and programs differ in {', '.join(sorted(named ^ self.revisions.keys()))}")
        return self


def read_declarations(path: Path) -> Declarations:
    """The declarations of a file.

    Raises :class:`ValueError` for what is none.
    """
    try:
        return Declarations.model_validate(tomllib.loads(path.read_text()))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ValueError(f"{path}: {place}: {first['msg']}") from None
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path}: {error}") from None


@dataclass(frozen=True)
class Seen:
    """The outcome for one program."""

    result: str
    difference: str | None = None
    """The difference from the declaration."""


def revision(checkout: Path) -> str | None:
    """The commit of a checkout; None where it is not git's own folder."""
    if not (checkout / ".git").exists():
        return None
    command = ["git", "-C", str(checkout), "rev-parse", "HEAD"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def first_error(error: CompileError) -> str:
    """The text of the first error, without its place."""
    found = next((text for text in error.diagnostics if "error:" in text.split("\n")[0]), str(error))
    return found.split("\n")[0].partition("error: ")[2]


def generate(program: Declared, root: Path, output: Path) -> str | None:
    """Let a script of the checkout write the program; how that fails, or None."""
    script, *arguments = (word.replace("{output}", str(output)) for word in program.generator)
    command = [sys.executable, script, *arguments]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=GENERATOR_S, check=False)
    except subprocess.TimeoutExpired:
        return f"{script} took more than {GENERATOR_S} s"
    last = (done.stderr.strip().splitlines() or ["no message"])[-1]
    return f"{script} ended with {done.returncode}: {last}" if done.returncode else None


def check_program(program: Declared, checkouts: Path) -> Seen:
    """Compile, load and test one program."""
    root = checkouts / program.repository
    source = root / program.path
    if not source.is_file():
        return Seen("missing", f"no file {source}: git clone https://github.com/{program.repository} {root}")
    with tempfile.TemporaryDirectory(prefix="quench-public-") as place:
        if program.generator:
            source = Path(place) / "generated.p4"
            failed = generate(program, root, source)
            if failed is not None:
                return Seen("missing", failed)
        try:
            folders = [str(root / folder) for folder in program.include]
            output = compile_p4(str(source), folders, list(program.define), arch=program.architecture)
        except CompileError as error:
            text = first_error(error)
            if program.refused is None:
                return Seen("refused", f"is refused: {text}")
            return Seen("refused", None if re.search(program.refused, text) else f"is refused otherwise: {text}")
        if program.refused is not None:
            return Seen("compiles", "compiles, and is declared as refused")
        try:
            for _, interpreted in KINDS:
                Program(output.json, interpreted=interpreted)
        except DataPlaneError as error:
            loads_not = program.does_not_load is not None and re.search(program.does_not_load, str(error))
            return Seen("compiles", None if loads_not else f"does not load: {error}")
        if program.does_not_load is not None:
            return Seen("loads", "loads, and is declared not to")
        if program.test is None:
            return Seen("loads")
        failed = failure(program, output.json, Path(place) / "test.stf")
        return Seen("loads" if failed else "tested", failed)


def failure(program: Declared, json: str, file: Path) -> str | None:
    """The failure of the program's test, as machine code or interpreted; None where it passes."""
    assert program.test is not None
    file.write_text(TESTS[program.test]())
    for kind, interpreted in KINDS:
        try:
            difference = run_test(json, file, interpreted=interpreted, priority_queues=program.priority_queues)
        except StfSyntaxError as error:
            return f"{program.test}: {error}"
        if difference is not None:
            return f"{program.test}, {kind}, line {difference.line}: {difference.message}"
    return None


def table(declarations: Declarations) -> list[str]:
    """The page's table."""
    rows = ["| program | revision | architecture | compiles | loads | does what its authors say | how |"]
    rows.append("|---|---|---|---|---|---|---|")
    for program in sorted(declarations.program, key=lambda each: (each.repository.lower(), each.path.lower())):
        link = f"[{program.repository}](https://github.com/{program.repository}): `{program.path}`"
        commit = declarations.revisions[program.repository][:8]
        compiles = "yes" if program.refused is None else "no"
        loads = "-" if program.refused is not None else "yes" if program.does_not_load is None else "no"
        rows.append(
            f"| {link} | `{commit}` | {program.architecture} | {compiles} | {loads} | {program.does} | {program.how} |"
        )
    return rows


def counts(declarations: Declarations) -> str:
    """A sentence with the number of programs of each kind."""
    programs = declarations.program
    does = Counter(program.does for program in programs)
    compile_ = sum(program.refused is None for program in programs)
    load = sum((program.refused or program.does_not_load) is None for program in programs)
    return (
        f"{len(programs)} programs of {len(declarations.revisions)} repositories: {compile_} compile, {load} load. "
        f"{does['yes']} do what their authors say, and {does['in part']} what was checked of it. "
        f"What the other {load - does['yes'] - does['in part']} do was not checked."
    )


def chosen(programs: Sequence[Declared], only: Sequence[str]) -> list[Declared]:
    """The programs whose names contain one of the texts; all without texts."""
    return [each for each in programs if not only or any(text in each.name for text in only)]


@app.command()
def main(
    checkouts: Annotated[
        Path | None, typer.Argument(exists=True, file_okay=False, help="The folder of the checkouts OWNER/NAME.")
    ] = None,
    only: Annotated[list[str] | None, typer.Option(metavar="TEXT", help="Programs with this in the name.")] = None,
    declared: Annotated[Path, typer.Option(metavar="FILE", help="The declarations.")] = DECLARATIONS,
    page: Annotated[bool, typer.Option("--page", help="Print the page's table and counts, and check nothing.")] = False,
) -> None:
    """Print a row for each program; the status is 1 where one is not as the table says, or is missing."""
    try:
        declarations = read_declarations(declared)
    except (ValueError, OSError) as error:
        typer.echo(f"public: {error}", err=True)
        raise typer.Exit(2) from None
    if page:
        for line in [counts(declarations), "", *table(declarations)]:
            typer.echo(line)
        return
    if checkouts is None:
        raise typer.BadParameter("give the folder of the checkouts")
    programs = chosen(declarations.program, only or ())
    if not programs:
        raise typer.BadParameter(f"no program has {' or '.join(only or ())} in its name", param_hint="--only")
    found = {each.repository: revision(checkouts / each.repository) for each in programs}
    differing = 0
    for program in programs:
        seen = check_program(program, checkouts)
        wanted, has = declarations.revisions[program.repository], found[program.repository]
        notes = [seen.difference] if seen.difference is not None else []
        if seen.result != "missing" and has != wanted:
            notes.append(f"revision {has or 'unknown'}, not {wanted}: git checkout {wanted}")
        differing += bool(notes)
        typer.echo(f"{'NO' if notes else 'as declared':<12} {seen.result:<9} {program.name}")
        for note in notes:
            typer.echo(f"{'':<12} {' '.join(note.split())}")
    typer.echo(f"{len(programs)} programs, {differing} of them not as declared")
    if differing:
        raise typer.Exit(1)


if __name__ == "__main__":
    app()
