# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A Markdown document: its title, anchors, links, code blocks and code spans, each with its line."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import unquote

from markdown.extensions.toc import slugify, unique
from markdown_it import MarkdownIt
from markdown_it.token import Token

_PARSER = MarkdownIt("commonmark").enable("table")
_ID = re.compile(r"""<\w[^>]*\s(?:id|name)=["']([^"']+)["']""")
_TARGET = re.compile(r"""<\w[^>]*\s(?:href|src)=["']([^"']+)["']""")
_MARK = re.compile(r"<!--\s*check:\s*([a-z-]+)\s*-->\s*$")
_FIGURE = re.compile(r"<!--\s*figure:\s*(\S+\s[^>]*?)\s*-->\s*$")
_ATTRIBUTES = re.compile(r"\s*\{:?\s*#([\w-]+)[^}]*\}\s*$")


@dataclass(frozen=True, slots=True)
class Link:
    """A link or an image; the target as it is written, percent-encoding undone."""

    line: int
    target: str


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of code, with what a comment ``check: WORD`` or ``figure: FILE TEXT`` in front of it says."""

    line: int
    language: str
    mark: str | None
    text: str
    figure: str | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """Code inside a sentence."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Page:
    """The parts of a document. Anchors are those that the site generator gives headings."""

    path: Path
    title: str
    anchors: frozenset[str]
    links: tuple[Link, ...]
    blocks: tuple[Block, ...]
    spans: tuple[Span, ...]


def documents(root: Path) -> list[Path]:
    """Every Markdown document of the repository at ``root``, without what is built or installed there."""
    found = (path for path in root.rglob("*.md") if not _is_foreign(path.relative_to(root)))
    return sorted(found)


def _is_foreign(path: Path) -> bool:
    return any(part.startswith(".") or part in ("build", "out", "target") for part in path.parts[:-1])


@cache
def read_page(path: Path) -> Page:
    """Parse a document. Raises OSError."""
    title = ""
    anchors: set[str] = set()
    slugs: set[str] = set()
    links: list[Link] = []
    blocks: list[Block] = []
    spans: list[Span] = []
    comment = ""
    tokens = _PARSER.parse(path.read_text(encoding="utf-8"))
    for before, token in zip([None, *tokens], tokens, strict=False):
        line = token.map[0] + 1 if token.map else 0
        if token.type == "inline" and before is not None and before.type == "heading_open":
            text, anchor = _heading(token)
            anchors.add(anchor or unique(slugify(text, "-"), slugs))
            title = title or text
        if token.type == "fence":
            blocks.append(
                Block(line, token.info.strip(), _said(_MARK, comment), token.content, _said(_FIGURE, comment))
            )
        comment = token.content.strip() if token.type == "html_block" else ""
        for each in _with_children(token):
            if each.type == "code_inline":
                spans.append(Span(line, each.content))
            elif each.type in ("html_inline", "html_block"):
                anchors.update(_ID.findall(each.content))
                links.extend(Link(line, target) for target in _TARGET.findall(each.content))
            elif each.type in ("link_open", "image"):
                target = each.attrs.get("href", each.attrs.get("src"))
                links.append(Link(line, unquote(str(target))))
    return Page(path, title, frozenset(anchors), tuple(links), tuple(blocks), tuple(spans))


def _said(kind: re.Pattern[str], comment: str) -> str | None:
    found = kind.search(comment)
    return " ".join(found.group(1).split()) if found else None


def _heading(token: Token) -> tuple[str, str | None]:
    text = "".join(each.content for each in token.children or () if each.type in ("text", "code_inline"))
    attributes = _ATTRIBUTES.search(text)
    return (text[: attributes.start()], attributes.group(1)) if attributes else (text, None)


def _with_children(token: Token) -> Iterator[Token]:
    yield token
    children: Sequence[Token] = token.children or ()
    for child in children:
        yield from _with_children(child)
