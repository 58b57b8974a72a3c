# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Reference pages of the command line, from Typer's own objects and from ``quench-host --help``."""

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Any

from quench_switch.cli.commands import record

from quench_docs import programs
from quench_docs.programs import Node

_FOLDER = PurePosixPath("reference/command-line")


def pages() -> dict[PurePosixPath, str]:
    """Markdown by path: a page for each command of ``quench``, with those under it, and one for make."""
    root = programs.quench()
    found = {}
    for name, node in sorted(root.children.items()):
        title = f"# quench {name}\n\n"
        if node.name == programs.HOST_LOADER:
            passes = "`quench host` passes its arguments to the program `quench-host`:"
            found[_FOLDER / f"{name}.md"] = f"{title}{passes}\n\n```text\n{programs.host_help()}```\n"
        else:
            found[_FOLDER / f"{name}.md"] = title + "\n".join(_sections(node, 2))
    found[_FOLDER / "make.md"] = f"# make\n\n```text\n{programs.make_help()}```\n"
    return found


def _sections(node: Node, level: int) -> Iterator[str]:
    """A command without its heading, then the commands under it."""
    if node.command.help:
        yield f"{_sentence(node.command.help)}\n"
    pieces = " ".join(node.command.collect_usage_pieces(node.context))
    yield f"```text\n{node.name} {pieces}\n```\n"
    parameters = node.command.get_params(node.context)
    for kind in ("argument", "option"):
        rows = [record(each, node.context) for each in parameters if each.param_type_name == kind]
        yield from _table(kind, (row for row in rows if row is not None))
    for name, child in node.children.items():
        yield f"{'#' * level} {node.name} {name}\n"
        yield from _sections(child, level + 1)


def _table(title: str, rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    lines = [f"| `{_cell(name)}` | {_cell(_sentence(text))} |" for name, text in rows]
    if lines:
        yield "\n".join([f"| {title} | |", "|---|---|", *lines, ""])


def _sentence(text: Any) -> str:
    """A help text, which is no Markdown: ``<``, ``[`` and ``*`` in it are themselves."""
    escaped = str(text).replace("\\", "\\\\").replace("<", "&lt;")
    for character in "[]*_":
        escaped = escaped.replace(character, f"\\{character}")
    return escaped.strip()


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
