# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Decision pages: number, title, date and status of each, and their index.

``python -m quench_docs.decisions`` (with ``PYTHONPATH=docs``) writes ``docs/decisions/index.md``.
"""

import re
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from quench_docs.programs import ROOT

FOLDER = ROOT / "docs" / "decisions"
_NAME = re.compile(r"(\d{4})-[a-z0-9-]+\.md")
_OPENING = re.compile(
    r"^# (?P<number>\d{4}) (?P<title>\S.*)\n\n"
    r"Date: (?P<date>\d{4}-\d{2}-\d{2}) · "
    r"Status: (?P<status>accepted|superseded by \[\d{4}\]\((?P<successor>[a-z0-9-]+\.md)\))\n",
    re.MULTILINE,
)
_TOP = """\
<!-- SPDX-FileCopyrightText: 2026 The Quench Authors -->
<!-- SPDX-License-Identifier: Apache-2.0 -->
# Decisions

Each page says what was decided, why, and at what price. A decision that no longer holds keeps its
page and names its successor.

| | decision | date | status |
|---|---|---|---|
"""


class DecisionError(Exception):
    """A page lacks a part that each decision has. The message is ``FILE: the missing part``."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The title, date and status of a page."""

    name: str
    number: str
    title: str
    date: date
    status: str


def read(path: Path) -> Decision:
    """Raises DecisionError, OSError."""
    name = _NAME.fullmatch(path.name)
    found = _OPENING.search(path.read_text(encoding="utf-8"))
    if name is None:
        raise DecisionError(f"{path.name}: a page is called NNNN-words.md")
    if found is None:
        raise DecisionError(
            f"{path.name}: it must begin with '# NNNN Title' and 'Date: YYYY-MM-DD · Status: accepted', "
            "or 'superseded by [NNNN](file.md)'"
        )
    if found["number"] != name.group(1):
        raise DecisionError(f"{path.name}: its title says {found['number']}")
    if found["successor"] and not (path.parent / found["successor"]).is_file():
        raise DecisionError(f"{path.name}: there is no {found['successor']}")
    return Decision(path.name, found["number"], found["title"], date.fromisoformat(found["date"]), found["status"])


def index(folder: Path) -> str:
    """The index of a folder's decisions. Raises DecisionError, OSError."""
    decisions = [read(path) for path in sorted(folder.glob("*.md")) if path.name != "index.md"]
    rows = [f"| {each.number} | [{each.title}]({each.name}) | {each.date} | {each.status} |" for each in decisions]
    return _TOP + "\n".join(rows) + "\n"


if __name__ == "__main__":
    (FOLDER / "index.md").write_text(index(FOLDER), encoding="utf-8")
