# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``python -m quench_switch.reached_report FILE FOLDER``: the parts of P4 programs that tests reach and do not reach.

In: the file that ``reached`` writes. Out: a table on the screen, and in the folder the places that nothing reached,
program by program.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final

import typer

from quench_switch.outside.files import write_files

from .reached import Part

KINDS: Final = {"state": "states", "branch": "branches", "entry": "entries", "action": "actions"}


def merge(lines: Iterable[str]) -> dict[str, Counter[Part]]:
    """Counts of the parts of each program, over all processes that loaded it."""
    merged: dict[str, Counter[Part]] = {}
    for line in lines:
        record = json.loads(line)
        counts = merged.setdefault(record["program"], Counter())
        for part in record["parts"]:
            count = part.pop("count")
            counts[Part(**part)] += count
    return merged


def with_places_of_states(program: str, parts: Mapping[Part, int]) -> dict[Part, int]:
    """BMv2 JSON does not say where a parser state stands: found by its name in the sources of the program's folders."""
    folders = sorted({Path(file).parent for file in [program, *(part.file for part in parts if part.file)]})
    files = [path for folder in folders for path in sorted(folder.glob("*.p4"))]
    places = {
        match[1]: (str(path), number)
        for path in files
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if (match := re.match(r"\s*state\s+(\w+)", line))
    }
    found = {}
    for part, count in parts.items():
        if part.kind == "state":
            # A state that the compiler made stands nowhere.
            file, line = places.get(part.name, (program, 0))
            part = replace(part, file=file, line=line)
        found[part] = count
    return found


def summary(parts: Mapping[Part, int]) -> dict[str, tuple[int, int]]:
    """The numbers of the parts of each kind: those that were reached, and all."""
    totals = Counter(part.kind for part in parts)
    reached = Counter(part.kind for part, count in parts.items() if count)
    return {kind: (reached[kind], totals[kind]) for kind in KINDS}


def unreached(parts: Mapping[Part, int]) -> list[str]:
    """``file:line: kind name``, in the order of the source."""
    missed = [part for part, count in parts.items() if not count]
    missed.sort(key=lambda part: (part.file, part.line, part.column, part.name))
    return [f"{part.file}:{part.line}: {part.kind} {part.name}" for part in missed]


def report(
    record: Annotated[Path, typer.Argument(help="File that the suites wrote.")],
    folder: Annotated[Path, typer.Argument(help="Folder of the lists.")],
    listed: Annotated[str, typer.Option(help="Only programs under this folder are listed on the screen too.")] = "",
) -> None:
    """Print what was reached of each program, and list what was not."""
    programs = {
        name: with_places_of_states(name, parts) for name, parts in merge(record.read_text().splitlines()).items()
    }
    if not programs:
        raise typer.BadParameter(f"{record} has no program: no suite ran P4 with QUENCH_P4_REACHED")
    folder.mkdir(parents=True, exist_ok=True)
    typer.echo(f"{'P4 program':48}" + "".join(f"{title:>12}" for title in KINDS.values()))
    lists = []
    for name, parts in sorted(programs.items()):
        cells = [f"{reached}/{total}" for reached, total in summary(parts).values()]
        typer.echo(f"{name:48}" + "".join(f"{cell:>12}" for cell in cells))
        missed = unreached(parts)
        if missed:
            lists.append((name, missed))
    for name, missed in lists:
        if name.startswith(listed):
            typer.echo(f"\nNothing reached in {name}:\n" + "\n".join(missed))
    text = "".join(f"# {name}\n" + "\n".join(missed) + "\n" for name, missed in lists)
    write_files((folder / "unreached.txt", text))


if __name__ == "__main__":
    typer.run(report)
