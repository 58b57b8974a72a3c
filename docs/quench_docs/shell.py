# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Shell blocks: from their text to single commands, each a line number and words."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

_PROMPT = re.compile(r"^\s*(?:\$|[\w.@:~-]+[$#]) (?=\S)")
_OTHER_PROMPT = re.compile(r"^\s*[\w.-]+> ")
_HERE = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")
_VARIABLE = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_SEPARATORS = frozenset(";&|()")
_KEYWORDS = frozenset({"!", "{", "}", "do", "done", "else", "fi", "if", "in", "then", "time", "until", "while"})
_PREFIXES = {"sudo": 0, "env": 0, "exec": 0, "nohup": 0, "flock": 1, "timeout": 1}
"""Programs that run another one, and how many words of their own stand before it."""
_OPTIONAL = re.compile(r"\[(?=[-=A-Z])([^\[\]]*)\]")
"""``[--quick]``, ``[=VALUE]`` or ``[FILE]``, but neither ``[ -f FILE ]`` nor ``[::1]``."""


@dataclass(frozen=True, slots=True)
class Command:
    """A program and its arguments. In a synopsis optional parts stand like given ones and values are names."""

    line: int
    words: tuple[str, ...]
    is_synopsis: bool = False


def commands(text: str, *, is_console: bool) -> Iterator[Command]:
    """The commands of a block; in a console's, those behind a prompt. Lines count from 1. Raises ValueError."""
    for number, line in _logical_lines(text):
        prompt = _PROMPT.match(line)
        if (is_console and not prompt) or _OTHER_PROMPT.match(line):
            continue
        yield from parse(line[prompt.end() :] if prompt else line, number)


def parse(line: str, number: int = 1) -> Iterator[Command]:
    """The commands of one line. Raises ValueError for a quotation without end."""
    bare = _without_comment(line)
    is_synopsis = "..." in bare or _OPTIONAL.search(bare) is not None
    if is_synopsis:
        line = bare.replace("...", " ")
        while _OPTIONAL.search(line):
            line = _OPTIONAL.sub(r" \1 ", line)
        line = re.sub(r"(?<=\s)\|(?=\s)", " ", line).replace("|", "\\|")
    for words in _split(line):
        rest = _program(words)
        if rest:
            yield Command(number, tuple(rest), is_synopsis)


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines with their continuations, without the contents of here-documents."""
    lines = iter(enumerate(text.splitlines(), start=1))
    for number, first in lines:
        line = first
        while line.endswith("\\"):
            line = line[:-1] + next(lines, (0, ""))[1]
        here = _HERE.search(line)
        if here:
            line = line[: here.start()] + line[here.end() :]
            for _, content in lines:
                if content.strip() == here.group(2):
                    break
        yield number, line


def _without_comment(line: str) -> str:
    return re.sub(r"(^|\s)#.*", "", line)


def _split(line: str) -> Iterator[list[str]]:
    """The commands of a line between its separators; redirections are left out."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=";&|()<>")
    lexer.whitespace_split = True
    words: list[str] = []
    skips = False
    for word in lexer:
        if set(word) <= _SEPARATORS:
            yield words
            words, skips = [], False
        elif word.strip("&<>0123456789") == "" and ("<" in word or ">" in word):
            skips = not word.endswith("&")
        elif skips:
            skips = False
        else:
            words.append(word)
    yield words


def _program(words: list[str]) -> list[str]:
    """The program and its arguments, without keywords, settings of variables and programs that only run another one."""
    words = list(words)
    while words:
        first = words[0]
        if first == "for":
            return []
        if first in _KEYWORDS or _VARIABLE.fullmatch(first):
            words = words[1:]
        elif first == "nice":
            words = words[3:] if words[1:2] == ["-n"] else words[1:]
        elif first in _PREFIXES:
            words = words[1 + _PREFIXES[first] :]
        elif words[:3] == ["ip", "netns", "exec"]:
            words = words[4:]
        else:
            return words
    return []
