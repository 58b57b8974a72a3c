# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The root command. Each command is imported when it is called."""

import sys
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Final, NamedTuple

import typer

from quench_switch.cli.commands import Commands, Panel
from quench_switch.cli.lazy import NATIVE, TRACES, MissingError, mount
from quench_switch.cli.output import complain, whole_output
from quench_switch.version import VERSION

PACKAGE: Final = "quench_switch"
_CLI: Final = "quench_switch.cli"
PROGRAM: Final = "quench-switch"
MAX_QUOTED: Final = 100
"""Characters of an argument in an error."""
NATIVE_MISSING: Final = f"{NATIVE} is not built: run 'make native' in the repository, or install the wheel again"


class Command(NamedTuple):
    """A command of this package, which other programs may have, too."""

    name: str
    place: str
    help: str
    panel: Panel
    needed: tuple[str, ...] = (PACKAGE, NATIVE)
    """The packages, the one that the command is in first."""


COMMANDS: Final = (
    Command("switch", f"{_CLI}.switch", "Run the embedded switch on Linux interfaces, with P4Runtime.", Panel.SWITCH),
    Command(
        "compile", f"{_CLI}.compile", "Compile a program to DIR/NAME.json and DIR/NAME.p4info.txtpb.", Panel.PROGRAM
    ),
    Command(
        "trace",
        "quench_switch.trace.cli",
        "Show what a P4 program does with each packet, and why.",
        Panel.PROGRAM,
        needed=(PACKAGE, NATIVE, TRACES),
    ),
    Command("stf", "quench_switch.stf.cli", "Run tests in p4c's STF format on the embedded target.", Panel.PROGRAM),
    Command(
        "toolchain",
        f"{_CLI}.toolchain",
        "Write commands with the names of p4c's and BMv2's into a folder, which run this compiler and switch.",
        Panel.INSTALL,
        needed=(PACKAGE,),
    ),
)


def root(help_text: str) -> typer.Typer:
    """A program whose commands are mounted later."""
    return Commands(help_text)


def version_option(program: str) -> Any:
    """The option ``--version`` of a program, which ends it."""

    def print_version(asked: bool) -> None:
        if asked:
            typer.echo(f"{program} {VERSION}")
            raise typer.Exit

    return typer.Option("--version", callback=print_version, is_eager=True, help="Print the version.")


app = root("A P4-16 compiler and a switch for v1model and TNA.")


@app.callback()
def _root(_version: Annotated[bool, version_option(PROGRAM)] = False) -> None: ...


for command in COMMANDS:
    mount(
        app,
        command.name,
        command.place,
        command.help,
        panel=command.panel,
        needed=command.needed,
        mend=lambda _: NATIVE_MISSING,
    )


def main() -> None:
    """Run the command line. A fault of the user's or of the machine's ends it with one line on stderr and status 1."""
    run(partial(app, prog_name=PROGRAM), PROGRAM)


def run(command_line: Callable[[], object], program: str, *errors: type[Exception]) -> None:
    """Run a program's command line, and end the process with a line about what it raises of these errors."""
    faults: tuple[type[Exception], ...] = (MissingError, OSError, *errors)
    try:
        with whole_output():
            command_line()
    except BrokenPipeError:
        # The reader of the output has ended.
        sys.exit(1)
    except UnicodeEncodeError as error:
        complain(program, f"{str(error.object)[:MAX_QUOTED]!r} is not UTF-8 text")
        sys.exit(1)
    except faults as error:
        complain(program, error)
        sys.exit(1)
