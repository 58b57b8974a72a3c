# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The places of the repository's files on the site.

Files outside the folders of pages that documents link to become pages, too, so that no link leaves the site.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from quench_docs.figures import figures
from quench_docs.links import is_relative
from quench_docs.page import Page, read_page

FOLDER = PurePosixPath("source")
PAGES = {"docs": PurePosixPath(), "softswitch/docs": PurePosixPath("softswitch")}
"""Folders of pages in the repository, and where each is on the site."""
_LANGUAGES = {".c": "c", ".h": "c", ".p4": "c", ".py": "python", ".rs": "rust", ".yaml": "yaml", ".json": "json"}
_IMAGES = frozenset({".png", ".svg"})
_FENCE = re.compile(r"^\s*(`{3,}|~{3,})")


class Site:
    """The place of each file of the repository on the site, and the pages of those that lie outside ``PAGES``."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.linked: dict[Path, PurePosixPath] = {}
        """Files and folders outside ``PAGES`` that something links to."""

    def place(self, path: Path) -> PurePosixPath:
        """The page or the image, relative to the site's folder of pages."""
        relative = PurePosixPath(path.relative_to(self._root))
        for folder, on_site in PAGES.items():
            if relative.is_relative_to(folder):
                place = on_site / relative.relative_to(folder)
                return place / "index.md" if path.is_dir() else place
        if path.is_dir():
            readme = path / "README.md"
            return self.place(readme) if readme.is_file() else FOLDER / relative / "index.md"
        name = relative if path.suffix in {".md", *_IMAGES} else relative.with_name(f"{relative.name}.md")
        return FOLDER / name

    def translate(self, page: Page, place: PurePosixPath) -> str:
        """The page's Markdown with its links as they are on the site; what it links to is remembered."""
        targets = {link.target: self._target(page, link.target, place) for link in page.links if is_relative(link)}
        drawn = {figure.block.line: figure for figure in figures(page)}
        lines = []
        fence = ""
        below = ""
        for number, line in enumerate(page.path.read_text(encoding="utf-8").splitlines(), start=1):
            marker = _FENCE.match(line)
            if marker and (not fence or marker.group(1).startswith(fence)):
                fence = "" if fence else marker.group(1)
            lines.append(line if fence else _replaced(line, targets))
            if number in drawn:
                below = f"![{drawn[number].about}]({_relative(drawn[number].place, place)})"
            elif below and not fence:
                lines += ["", below]
                below = ""
        return "\n".join(lines) + "\n"

    def _target(self, page: Page, target: str, place: PurePosixPath) -> str:
        name, hash_sign, anchor = target.partition("#")
        if not name:
            return target
        path = (page.path.parent / name).resolve()
        to = self.place(path)
        if to.is_relative_to(FOLDER):
            self.linked[path] = to
        return _relative(to, place) + hash_sign + anchor

    def source_pages(self) -> Iterator[tuple[PurePosixPath, str | bytes]]:
        """The files outside ``PAGES`` that documents link to, directly or over other documents."""
        done: set[PurePosixPath] = set()
        while waiting := [(path, place) for path, place in self.linked.items() if place not in done]:
            for path, place in waiting:
                done.add(place)
                yield place, self._source(path, place)

    def _source(self, path: Path, place: PurePosixPath) -> str | bytes:
        if path.is_dir() and (path / "README.md").is_file():
            path = path / "README.md"
        if path.suffix in _IMAGES:
            return path.read_bytes()
        if path.suffix == ".md":
            return self.translate(read_page(path), place)
        title = f"# {path.relative_to(self._root)}\n\n"
        if path.is_dir():
            entries = sorted(f"{each.name}/" if each.is_dir() else each.name for each in path.iterdir())
            return title + "".join(f"- `{name}`\n" for name in entries if not name.startswith((".", "__")))
        text = path.read_text(encoding="utf-8")
        longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
        fence = "`" * max(3, longest + 1)
        return f"{title}{fence}{_LANGUAGES.get(path.suffix, 'text')}\n{text.rstrip()}\n{fence}\n"


def _relative(to: PurePosixPath, place: PurePosixPath) -> str:
    return PurePosixPath(os.path.relpath(to, place.parent)).as_posix()


def _replaced(line: str, targets: dict[str, str]) -> str:
    for old, new in targets.items():
        if old != new:
            line = re.sub(rf"""(\]\(|\]:\s*|(?:href|src)=["']){re.escape(old)}(?=[)\s"']|$)""", rf"\g<1>{new}", line)
    return line
