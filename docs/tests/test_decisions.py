# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Each decision has a date and a status, and the index has each decision."""

from pathlib import Path

import pytest
from quench_docs.decisions import FOLDER, DecisionError, index, read


def test_the_index_is_current() -> None:
    assert (FOLDER / "index.md").read_text() == index(FOLDER), "PYTHONPATH=docs python -m quench_docs.decisions"


def test_a_superseded_decision_names_its_successor(tmp_path: Path) -> None:
    (tmp_path / "0002-b.md").write_text("# 0002 B\n\nDate: 2026-11-22 · Status: accepted\n\nText.\n")
    old = tmp_path / "0001-a.md"
    old.write_text("# 0001 A\n\nDate: 2026-11-21 · Status: superseded by [0002](0002-b.md)\n")
    assert "| 0001 | [A](0001-a.md) | 2026-11-21 | superseded by [0002](0002-b.md) |\n" in index(tmp_path)


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("0001-a.md", "# 0001 A\n\nText.\n", "it must begin with"),
        ("0001-a.md", "# 0001 A\n\nDate: yesterday · Status: accepted\n", "it must begin with"),
        ("0001-a.md", "# 0001 A\n\nDate: 2026-11-21 · Status: perhaps\n", "it must begin with"),
        ("0001-a.md", "# 0002 A\n\nDate: 2026-11-21 · Status: accepted\n", "its title says 0002"),
        ("0001-a.md", "# 0001 A\n\nDate: 2026-11-21 · Status: superseded by [0009](0009-x.md)\n", "no 0009-x.md"),
        ("a.md", "# 0001 A\n\nDate: 2026-11-21 · Status: accepted\n", "NNNN-words.md"),
    ],
)
def test_a_page_that_is_not_as_all_are(tmp_path: Path, name: str, text: str, fault: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(DecisionError, match=fault):
        read(path)
