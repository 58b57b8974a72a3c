# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The first page of a section of the site: its pages by their groups, each with its first sentence."""

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

_TITLE = re.compile(r"^# (.+)$", re.M)
_NO_TEXT = ("<", "#", "|", "```", "!", "- ", "    ")
"""Beginnings of paragraphs that are no sentences."""
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_SENTENCE = re.compile(r".*?\.(?=\s|$)|.*", re.S)
_MOST = 160
"""Longest sentence that is shown, in characters."""


def overview(title: str, entries: list[Any], pages: Mapping[PurePosixPath, str | bytes], place: PurePosixPath) -> str:
    """The page at ``place``: the section's navigation, written out, as lists under headings."""
    lines = "\n".join(_lines(entries, pages, place, 2))
    return f"# {title}\n\n{lines}\n"


def _lines(
    entries: list[Any], pages: Mapping[PurePosixPath, str | bytes], place: PurePosixPath, level: int
) -> Iterator[str]:
    # Pages without a group come first: below a heading they would belong to it.
    for entry in entries:
        if isinstance(entry, str) or isinstance(next(iter(entry.values())), str):
            where = PurePosixPath(entry if isinstance(entry, str) else next(iter(entry.values())))
            if where != place:
                yield _item(where, pages, place)
    for entry in entries:
        if isinstance(entry, dict):
            ((group, inner),) = entry.items()
            if isinstance(inner, list):
                yield f"\n{'#' * level} {group}\n"
                yield from _lines(inner, pages, place, level + 1)


def _item(where: PurePosixPath, pages: Mapping[PurePosixPath, str | bytes], place: PurePosixPath) -> str:
    text = pages[where]
    title = _TITLE.search(text) if isinstance(text, str) else None
    if not isinstance(text, str) or title is None:
        raise ValueError(f"{where}: the page has no title")
    sentence = _first_sentence(text[title.end() :])
    up = len(place.parent.parts)
    target = (
        where.relative_to(place.parent) if where.is_relative_to(place.parent) else PurePosixPath(*[".."] * up, where)
    )
    return f"- [{title[1]}]({target}){': ' + sentence if sentence else ''}"


def _first_sentence(text: str) -> str:
    for paragraph in re.split(r"\n\s*\n", text):
        if paragraph.strip() and not paragraph.startswith(_NO_TEXT):
            found = _SENTENCE.match(" ".join(_LINK.sub(r"\1", paragraph).split()))
            sentence = found[0] if found else ""
            # The part before a colon says what the page is about.
            shown = sentence.rstrip(":") if len(sentence) <= _MOST else sentence.partition(":")[0]
            return shown if len(shown) <= _MOST else ""
    return ""
