# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Docstrings and comments name their subject: "The number of queues of each port.", and not "Of each port."."""

import ast
import io
import re
import subprocess
import tokenize
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
Texts = Iterator[tuple[int, str]]
"""The line at which each docstring or comment begins, and its text."""

HEADLESS = re.compile(
    r"""
    # A relative or interrogative clause alone, with a preposition or without.
    (?:After|At|Behind|By|For|From|In|On|Over|Through|To|Under|With)\s(?:how|what|which|whom|whose)\b
    | (?:How|Of|That|What|Which|Who|Whom|Whose|Why)\b
    | (?:As|So)\s+(?:far|few|long|many|much|often)\b
    # An adverbial clause without the main clause behind a comma.
    | (?:If|Until|When|Where)\b [^,]* (?:[.:;]|$)
    # An adverbial of a few words.
    | (?:Above|As|At|Before|Below|Between|By|For|In|Over|With|Without)\s (?:[^\s,:;]+\s){0,3}[^\s,:;]+ (?:;|$)
    """,
    re.VERBOSE,
)
_C_TEXT = re.compile(r"""(?P<code>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])')|/\*.*?\*/|//[^\n]*""", re.DOTALL)


def python_texts(source: str) -> Texts:
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield node.lineno, text
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    comments = ((*token.start, token.string.lstrip("#:! ")) for token in tokens if token.type == tokenize.COMMENT)
    yield from joined(comments)


def c_texts(source: str) -> Texts:
    yield from joined(_c_comments(source))


def _c_comments(source: str) -> Iterator[tuple[int, int, str]]:
    for found in _C_TEXT.finditer(source):
        if not found["code"]:
            start = found.start()
            column = start - source.rfind("\n", 0, start) - 1
            yield source.count("\n", 0, start) + 1, column, re.sub(r"(?m)^[ \t]*[/*]+ ?|[ \t]*\*/$", "", found[0])


def rust_texts(source: str) -> Texts:
    """Comments with a line of their own: strings of several lines make others hard to tell."""
    found = re.finditer(r"(?m)^([ \t]*)(///|//!|//) ?(.*)$", source)
    # Documentation of a module and comments below it are two texts.
    yield from joined((source.count("\n", 0, each.start()) + 1, len(each[1] + each[2]), each[3]) for each in found)


def joined(comments: Iterator[tuple[int, int, str]]) -> Texts:
    """Comments with their line and column: those that continue one another become one text."""
    begin, last, column, text = 0, 0, 0, ""
    for number, at, part in comments:
        if "SPDX-" in part:
            continue
        if text and (number, at) == (last + 1, column):
            text += f"\n{part}"
        else:
            if text:
                yield begin, text
            begin, text = number, part
        last, column = number, at
    if text:
        yield begin, text


READERS: dict[str, Callable[[str], Texts]] = {
    ".py": python_texts,
    ".pyi": python_texts,
    ".c": c_texts,
    ".h": c_texts,
    ".p4": c_texts,
    ".rs": rust_texts,
}


def is_headless(text: str) -> bool:
    first = re.split(r"(?<=[.?!])\s", " ".join(text.split()), maxsplit=1)[0]
    return HEADLESS.match(first) is not None and not first.endswith("?")


def test_docstrings_and_comments_begin_with_their_subject() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    files = [Path(name) for name in listed.splitlines() if not name.startswith("ptf_tests/tests/")]
    files = [file for file in files if file.suffix in READERS]
    assert {file.suffix for file in files} == READERS.keys()
    found = [
        f"{file}:{line}: {text.strip().splitlines()[0]}"
        for file in files
        for line, text in sorted(READERS[file.suffix]((ROOT / file).read_text(encoding="utf-8")))
        if is_headless(text)
    ]
    assert found == []


@pytest.mark.parametrize(
    "text",
    [
        "Of each port.",
        "By which depths become packets.",
        "What the switch has.",
        "So many calls at a time.",
        "Until the process ends.",
        "Where subscribers connect: a path.",
        "By protocol.",
    ],
)
def test_a_beginning_without_a_subject_is_found(text: str) -> None:
    assert is_headless(text)


@pytest.mark.parametrize(
    "text",
    [
        "The number of queues of each port.",
        "What does the switch have?",
        "Where no link is, packets are lost.",
        "Whether a packet has left.",
        "In v1model programs choose a port themselves.",
    ],
)
def test_a_beginning_with_a_subject_is_not(text: str) -> None:
    assert not is_headless(text)


def test_comments_of_each_language_are_read() -> None:
    python = '"""One."""\nA = 1\n"""Of two."""\n# Of three,\n# in two lines.\n'
    assert list(python_texts(python)) == [(1, "One."), (3, "Of two."), (4, "Of three,\nin two lines.")]
    rust = "//! One.\n\n/// Of two,\n/// in two lines.\nfn f() {}\n    // Of three.\n"
    assert list(rust_texts(rust)) == [(1, "One."), (3, "Of two,\nin two lines."), (6, "Of three.")]
    c = 'char *text = "// none"; // one\n/*\n * Of two.\n */\n// three,\n// four\n'
    assert [(line, text.strip()) for line, text in c_texts(c)] == [(1, "one"), (2, "Of two."), (5, "three,\nfour")]
