# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench doctor``: the things that each part needs, found or missing."""

import json
from dataclasses import asdict
from typing import Annotated

import typer
from quench_switch.cli.commands import Commands

from quench.doctor.checks import PARTS, findings
from quench.doctor.finding import Finding, State

_WORDS = {State.OK: "ok", State.MISSING: "MISSING", State.UNKNOWN: "unknown"}
_INDENT = " " * 10


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list.")] = False,
) -> None:
    """Show what this machine has and lacks for each part of Quench, and what to do.

    Ends with status 1 if something is missing without which a part does not work.
    """
    found = list(findings())
    if as_json:
        typer.echo(json.dumps([asdict(each) for each in found], indent=2))
    else:
        for part, title in PARTS.items():
            typer.echo(title)
            for each in found:
                if each.part == part:
                    _show(each)
    if any(each.fault for each in found):
        raise typer.Exit(1)


def _show(found: Finding) -> None:
    word = "absent" if found.optional and found.state is State.MISSING else _WORDS[found.state]
    typer.echo(f"  {word:<7} {found.name}" + (f": {found.found}" if found.found else ""))
    if found.remedy:
        typer.echo(f"{_INDENT}{found.remedy}")


app = Commands()
app.command("doctor")(doctor)
