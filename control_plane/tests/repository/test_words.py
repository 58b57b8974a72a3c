# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0

"""One idea has one word: the words that the table of CONTRIBUTING.md forbids occur nowhere."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
RECORDS = ("CONTRIBUTING.md", "CHANGELOG.md", "docs/decisions", "docs/validation", "experiments/papers", "softswitch")
"""Records keep their words, and the switch's house has words of its own."""


def forbidden() -> list[str]:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    _, _, table = text.partition("| idea | word | not |\n")
    rows = table.partition("\n\n")[0].splitlines()[1:]
    return [word for row in rows for word in re.findall(r'[`"]([^`"]+)[`"]', row.split("|")[3])]


def test_no_file_has_a_forbidden_word() -> None:
    words = forbidden()
    assert len(words) > 10
    patterns = [part for word in words for part in ("-e", word)]
    places = [f":!{place}" for place in RECORDS]
    command = ["git", "grep", "-n", "-I", "-i", "-F", *patterns, "--", ".", *places]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert found.returncode <= 1, found.stderr
    assert found.stdout == ""
