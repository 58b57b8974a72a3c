# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Text from files, packets and the network, made fit for terminals and logs."""

import logging
from typing import Any, Final

MOST_CHARACTERS: Final = 300
"""Longest line that ``one_line`` returns, without its dots."""
MOST_LOGGED_CHARACTERS: Final = 4096
"""The longest message in a log, and the longest traceback, in characters. The middle is left out, because the cause
stands at the end."""
_LOGGED_HEAD: Final = 1024


def printable(text: str) -> str:
    """The text as one line: control characters and marks that change the direction of writing become escapes."""
    return text if text.isprintable() else "".join(map(_shown, text))


def printable_lines(text: str) -> str:
    """The text as ``printable`` makes it, but line feeds and tabs stay."""
    return "".join(each if each in "\n\t" else _shown(each) for each in text)


def one_line(text: str, most_characters: int = MOST_CHARACTERS) -> str:
    """A message of a peer: one printable line of limited length, with one blank where there was white space."""
    # A peer may send 64 KB. Four times the limit leaves enough after runs of blanks are joined.
    line = printable(" ".join(text[: 4 * most_characters].split()))
    if len(line) > most_characters or len(text) > 4 * most_characters:
        return line[:most_characters] + "..."
    return line


def _shown(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode_escape").decode()


class LineFormatter(logging.Formatter):
    """Each message is one line, even if it quotes line feeds; only a traceback has more."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        """The record without its traceback."""
        left_out: int = getattr(record, "left_out", 0)
        before = f" ({left_out} records of this kind were left out before)" if left_out else ""
        return _cut(printable(super().formatMessage(record))) + before

    def formatException(self, ei: Any) -> str:  # noqa: N802
        """The traceback."""
        return _cut(printable_lines(super().formatException(ei)))

    def format(self, record: logging.LogRecord) -> str:
        """The record as it is written to the log."""
        return printable_lines(super().format(record))


def _cut(text: str) -> str:
    if len(text) <= MOST_LOGGED_CHARACTERS:
        return text
    tail = len(text) - (MOST_LOGGED_CHARACTERS - _LOGGED_HEAD)
    return f"{text[:_LOGGED_HEAD]} ... {tail - _LOGGED_HEAD} characters ... {text[tail:]}"


def counted(number: int, one: str, several: str | None = None) -> str:
    """A number with its noun: 1 run, 2 runs. ``several`` is the noun where an s behind it is wrong."""
    return f"{number} {one if number == 1 else several or f'{one}s'}"
