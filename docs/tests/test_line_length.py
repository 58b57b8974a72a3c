# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Lines of documents have at most 100 characters; tables and URLs may be longer. ``make lint`` runs this too."""

import re

import pytest
from quench_docs.page import documents
from quench_docs.programs import ROOT

LIMIT = 100
URL = re.compile(r"https?://\S+|\]\([^)\s]*\)")


def too_long(text: str) -> list[str]:
    """``LINE: N characters`` for each."""
    return [
        f"{number}: {len(line)} characters"
        for number, line in enumerate(text.splitlines(), start=1)
        if len(line) > LIMIT and not line.lstrip().startswith("|") and len(URL.sub("", line)) > LIMIT
    ]


NAMES = [str(path.relative_to(ROOT)) for path in documents(ROOT)]


@pytest.mark.parametrize("name", NAMES)
def test_lines_are_short(name: str) -> None:
    assert too_long((ROOT / name).read_text(encoding="utf-8")) == []


def test_tables_and_urls_may_be_longer() -> None:
    words = "word " * 25
    assert too_long(f"{words}\n") == ["1: 125 characters"]
    assert too_long(f"| {words} |\n") == []
    assert too_long("see https://example.org/" + "x" * 100) == []
