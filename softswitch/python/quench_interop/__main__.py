# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``make -C softswitch tutorials``: run others' exercises and examples, unmodified, and print the table."""

import tempfile
import time
from pathlib import Path
from typing import Annotated

import typer
from quench_switch.cli.commands import Commands

from quench_interop import finsy_examples, guide, guide_commands, tutorials
from quench_interop.sandbox import Example, InteropError, make_sandbox
from quench_interop.terminal import TerminalError

SUITES: dict[str, tuple[Example, ...]] = {
    "tutorials": tutorials.EXAMPLES,
    "p4-guide": (*guide.EXAMPLES, *guide_commands.EXAMPLES),
    "finsy": finsy_examples.EXAMPLES,
}
app = Commands()


@app.command()
def main(
    suite: Annotated[str, typer.Argument(help=f"The checkout's project: {', '.join(SUITES)}.")],
    checkout: Annotated[
        Path, typer.Argument(exists=True, file_okay=False, help="A checkout of theirs. It is copied, not written to.")
    ],
    environment: Annotated[
        Path, typer.Option(metavar="DIR", help="A Python environment with the packages of their programs.")
    ],
    only: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Run this one. Repeatable.")] = None,
    tools: Annotated[
        Path | None, typer.Option(metavar="DIR", help="p4c and simple_switch_grpc of this folder, not Quench's.")
    ] = None,
) -> None:
    """Run others' examples one after another; the exit status is 1 when one of them missed its purpose."""
    if suite not in SUITES:
        raise typer.BadParameter(f"no suite {suite}: one of {', '.join(SUITES)}")
    examples = {example.name: example for example in SUITES[suite]}
    for name in only or ():
        if name not in examples:
            raise typer.BadParameter(f"{suite} has no {name}: one of {', '.join(examples)}", param_hint="--only")
    missed = 0
    with tempfile.TemporaryDirectory(prefix="quench-interop-") as place:
        try:
            sandbox = make_sandbox(checkout, environment, tools, Path(place))
        except InteropError as error:
            typer.echo(f"interop: {error}", err=True)
            raise typer.Exit(2) from None
        for name in only or examples:
            began_s = time.monotonic()
            try:
                seen, verdict = examples[name].check(sandbox), "yes"
            except (InteropError, TerminalError, OSError) as error:
                seen, verdict = str(error), "NO"
                missed += 1
            typer.echo(f"{name:<44} {verdict:<4} {time.monotonic() - began_s:5.0f} s  {seen}")
    if missed:
        raise typer.Exit(1)


if __name__ == "__main__":
    app()
