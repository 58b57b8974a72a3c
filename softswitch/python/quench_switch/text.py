# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Text from files, packets and the network, made fit for terminals and logs. ``quench.text`` is the controller's."""

from __future__ import annotations

import logging


def printable(text: str) -> str:
    """One line: control characters, marks that change the direction of writing and the like stand as escapes."""
    return text if text.isprintable() else "".join(map(_shown, text))


def printable_lines(text: str) -> str:
    """The same, but line feeds and tabs stay."""
    return "".join(each if each in "\n\t" else _shown(each) for each in text)


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
