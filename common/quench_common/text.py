# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Text from files, packets and the network, made fit for terminals and logs."""

import logging
from typing import Final

MOST_CHARACTERS: Final = 300
"""Longest line that ``one_line`` returns, without its dots."""


def printable(text: str) -> str:
    """The text as one line: control characters and marks that change the direction of writing become escapes."""
    return text if text.isprintable() else "".join(map(_shown, text))


def printable_lines(text: str) -> str:
    """As ``printable``, but line feeds and tabs stay."""
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
        return printable(super().formatMessage(record))

    def format(self, record: logging.LogRecord) -> str:
        """The record as it is written to the log."""
        return printable_lines(super().format(record))
