# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Text from files, packets and the network, made fit for terminals and logs. ``quench_switch.text`` is the switch's."""

import logging
from typing import Final

MOST_CHARACTERS: Final = 300


def printable(text: str) -> str:
    """One line: control characters, marks that change the direction of writing and the like stand as escapes."""
    return text if text.isprintable() else "".join(map(_shown, text))


def printable_lines(text: str) -> str:
    """The same, but line feeds and tabs stay."""
    return "".join(each if each in "\n\t" else _shown(each) for each in text)


def one_line(text: str, most_characters: int = MOST_CHARACTERS) -> str:
    """A message of a peer: one printable line of limited length, with one blank where there was white space."""
    # A peer may send 64 KB, and blanks may go: what is cut here is not seen anyway.
    line = printable(" ".join(text[: 4 * most_characters].split()))
    if len(line) > most_characters or len(text) > 4 * most_characters:
        return line[:most_characters] + "..."
    return line


def _shown(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode_escape").decode()


class LineFormatter(logging.Formatter):
    """A message is one line whatever it quotes; only a traceback has more."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        """Without its traceback."""
        return printable(super().formatMessage(record))

    def format(self, record: logging.LogRecord) -> str:
        """As it is written."""
        return printable_lines(super().format(record))
