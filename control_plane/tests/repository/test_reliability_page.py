# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""docs/reliability/faults.md names tests, and they exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]


def named() -> list[tuple[str, str]]:
    """Each test of the table of faults, with its file; a name without one is of the file before it in its row."""
    page = (ROOT / "docs" / "reliability" / "faults.md").read_text()
    found = []
    for row in re.findall(r"^\| .* \| (`.*`) \|$", page, re.MULTILINE):
        path = ""
        for words in re.findall(r"`([^`]+)`", row):
            path, _, name = words.rpartition("::") if "::" in words else (path, "", words)
            found.append((path, name))
    return found


def test_the_tests_of_faults_exist() -> None:
    tests = named()
    assert len(tests) > 80
    absent = [
        f"{path}::{name}"
        for path, name in tests
        if not re.search(
            rf"^\s*(?:(?:async )?(?:def|fn)|static void) {name}\(", (ROOT / path).read_text(), re.MULTILINE
        )
    ]
    assert absent == []
