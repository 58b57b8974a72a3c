# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Check that a built site is served from itself: no page fetches a script, a style, a font or a picture elsewhere.

``python -m quench_docs.served FOLDER``
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

_FETCHED = {
    "audio": "src",
    "embed": "src",
    "iframe": "src",
    "img": "src",
    "link": "href",
    "object": "data",
    "script": "src",
    "source": "src",
    "video": "src",
}
_NOT_FETCHED = frozenset({"alternate", "author", "canonical", "license", "next", "prev"})
"""Kinds of link that a browser does not follow by itself."""


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.foreign: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        target = values.get(_FETCHED.get(tag, "")) or ""
        kinds = set((values.get("rel") or "").split())
        if urlsplit(target).netloc and not (tag == "link" and kinds & _NOT_FETCHED):
            self.foreign.append(target)


def foreign(text: str) -> list[str]:
    """The addresses on other servers that a browser fetches for an HTML page."""
    page = _Page()
    page.feed(text)
    return page.foreign


def main(folder: Path) -> int:
    """The exit status: 1 with a line on stderr for each address elsewhere."""
    pages = sorted(folder.rglob("*.html"))
    if not pages:
        sys.stderr.write(f"docs: {folder} has no pages\n")
        return 1
    found = [(path, target) for path in pages for target in foreign(path.read_text(encoding="utf-8"))]
    for path, target in found:
        sys.stderr.write(f"docs: {path}: fetched from elsewhere: {target}\n")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
