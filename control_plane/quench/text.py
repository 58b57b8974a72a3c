# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Text from outside, on its way to a log or a terminal."""

from typing import Final

MOST_CHARACTERS: Final = 300


def one_line(text: str, most_characters: int = MOST_CHARACTERS) -> str:
    """The text in one line of limited length, without what would move a terminal's cursor or change its colours."""
    # A peer may send 64 KB, and blanks may go: what is cut here is not seen anyway.
    line = " ".join(text[: 4 * most_characters].split())
    line = "".join(character if character.isprintable() else "?" for character in line)
    if len(line) > most_characters or len(text) > 4 * most_characters:
        return line[:most_characters] + "..."
    return line
