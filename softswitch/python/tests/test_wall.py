# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""softswitch is a house of its own: nothing in it names Quench's packages, programs or schemes."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
IMPORT, PROGRAM, SCHEME = "imports quench", "names a program of p4src", "names a scheme"
FORBIDDEN = {
    IMPORT: re.compile(r"\b(?:from|import)\s+quench(?![\w-])"),
    PROGRAM: re.compile(r"\bp4src\b|\bquench(?:_tna)?\.(?:p4|json|stf)"),
    # `ecn` is a field of IPv4 and IPv6.
    SCHEME: re.compile(r"(?<![A-Za-z])(?:ECN|(?i:ISQ|BECN))(?![A-Za-z])"),
}
HERE = Path(__file__).relative_to(ROOT).as_posix()
ALLOWED = {
    (HERE, IMPORT): "it says what is forbidden",
    (HERE, PROGRAM): "it says what is forbidden",
    (HERE, SCHEME): "it says what is forbidden",
    ("softswitch/python/quench_interop/public_programs.toml", PROGRAM): "folders of other repositories",
    ("softswitch/docs/public-programs.md", PROGRAM): "folders of other repositories",
}
"""Findings that are right in a file, and why. Tests of an extern for congestion notification may name schemes."""
SKIPPED = ("softswitch/fuzz/corpus/",)


def files() -> list[str]:
    """Those of softswitch, from the repository's root. New ones count before they are committed."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "softswitch"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    names = sorted({name for name in listed.split("\0") if name and (ROOT / name).is_file()})
    return [name for name in names if not name.startswith(SKIPPED)]


def faults(text: str) -> Iterator[tuple[str, int]]:
    """The broken rule and the line of each fault."""
    for rule, pattern in FORBIDDEN.items():
        for match in pattern.finditer(text):
            yield rule, text.count("\n", 0, match.start()) + 1


@pytest.fixture(scope="module")
def found() -> list[tuple[str, str, int]]:
    """File, rule and line of everything that is allowed only where this file says so."""
    names = files()
    assert len(names) > 1000
    return [(name, *fault) for name in names for fault in faults((ROOT / name).read_text("utf-8", "replace"))]


def test_nothing_of_quench_is_inside(found: list[tuple[str, str, int]]) -> None:
    wrong = [f"{name}:{line}: {rule}" for name, rule, line in found if (name, rule) not in ALLOWED]
    assert wrong == []


def test_every_exception_is_needed(found: list[tuple[str, str, int]]) -> None:
    assert [place for place in ALLOWED if place not in {fault[:2] for fault in found}] == []


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("    from quench.config import model", IMPORT),
        ("import quench", IMPORT),
        ('["-c", "import quench as q"]', IMPORT),
        ('ROOT / "p4src" / "average.p4"', PROGRAM),
        ('include_str!("../../../p4src/v1model/draw.p4")', PROGRAM),
        ("build/quench.json", PROGRAM),
        ("quench_tna.p4info.txtpb", PROGRAM),
        ("marks by ECN.", SCHEME),
        ("const ECN_PROFILE: Profile", SCHEME),
        ("an ISQ, or a BECN", SCHEME),
        ("bool isq_in_dataplane;", SCHEME),
    ],
)
def test_the_rules_find_what_they_forbid(text: str, rule: str) -> None:
    assert {broken for broken, _ in faults(f"\n{text}\n")} == {rule}
    assert {line for _, line in faults(f"\n{text}\n")} == {2}


@pytest.mark.parametrize(
    "text",
    [
        "from quench_switch import compile_p4",
        "use quench_dataplane::Switch;",
        "import quench_interop.public",
        "bit<2> ecn;",
        "action_profile(16) and Wred<bit<32>, bit<16>>",
        "`quench compile x.p4 -o DIR`",
        "disqualified",
    ],
)
def test_the_rules_leave_the_rest(text: str) -> None:
    assert list(faults(text)) == []
