# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Records which parser states, branches, table entries and actions of a P4 program packets reach.

Recording is on where the environment names a file in ``QUENCH_P4_REACHED``. Programs are then interpreted. When the
process ends, it appends a line of JSON to the file for each program that it loaded; ``reached_report`` merges them.
"""

from __future__ import annotations

import atexit
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from ._native import Program

VARIABLE: Final = "QUENCH_P4_REACHED"

_watched: list[tuple[str, Program]] = []


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that packets can reach; ``file`` is empty where the JSON does not say it."""

    kind: str
    """``state``, ``branch``, ``entry`` or ``action``."""
    name: str
    file: str
    line: int
    column: int


def load_program(text: str, *, interpreted: bool = False, entries: dict[str, int | None] | None = None) -> Program:
    """A program from BMv2 JSON, watched where recording is on; the options are ``Program``'s.

    Raises ``DataPlaneError``.
    """
    if VARIABLE not in os.environ:
        return Program(text, interpreted=interpreted, entries=entries)
    program = Program(text, recorded=True, entries=entries)
    if not _watched:
        atexit.register(_write, Path(os.environ[VARIABLE]))
    _watched.append((text, program))
    return program


def _write(path: Path) -> None:
    lines = []
    for text, program in _watched:
        reached = program.reached()
        assert reached is not None
        bmv2 = json.loads(text)
        found = [{**asdict(part), "count": count} for part, count in parts(bmv2, reached)]
        lines.append(json.dumps({"program": bmv2.get("program", ""), "parts": found}) + "\n")
    # Several processes may write at the end of one file: each with a single call.
    with path.open("ab", buffering=0) as file:
        file.write("".join(lines).encode())


def parts(bmv2: dict[str, Any], reached: dict[str, Any]) -> Iterator[tuple[Part, int]]:
    """The parts of a program with their counts. ``reached`` is what :meth:`Program.reached` gives for it."""
    states = [state for parser in bmv2["parsers"] for state in parser["parse_states"]]
    for state, count in zip(states, reached["states"], strict=True):
        yield _part("state", state["name"], state), count
    by_name = {pipeline["name"]: pipeline for pipeline in bmv2["pipelines"]}
    pipelines = [by_name["ingress"], by_name["egress"]]
    for pipeline in pipelines:
        name = pipeline["name"]
        for branch, (true, false) in zip(pipeline["conditionals"], reached[name], strict=True):
            yield _part("branch", f"{name}: true", branch), true
            yield _part("branch", f"{name}: false", branch), false
    tables = [table for pipeline in pipelines for table in pipeline["tables"]]
    for table, counts in zip(tables, reached["tables"], strict=True):
        # Compilers turn statements outside tables into tables of their own, which have no source of a table.
        if not table["name"].startswith("tbl_"):
            yield from _table_parts(table, counts)


def _table_parts(table: dict[str, Any], counts: dict[str, Any]) -> Iterator[tuple[Part, int]]:
    name, entries = table["name"], table.get("entries") or []
    for place, (entry, count) in enumerate(zip(entries, counts["entries"], strict=True)):
        yield _part("entry", f"{name}: entry {place}", entry), count
    if entries:
        yield _part("entry", f"{name}: no entry", table), counts["misses"]
    for action, count in zip(table["actions"], counts["actions"], strict=True):
        yield _part("action", f"{name}: {action.rpartition('.')[2]}", table), count


def _part(kind: str, name: str, source: dict[str, Any]) -> Part:
    info = source.get("source_info") or {}
    return Part(kind, name, info.get("filename", ""), info.get("line", 0), info.get("column", 0))
