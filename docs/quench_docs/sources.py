# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Files outside ``docs/`` that documents link to: each becomes a page of the site, so that no link leaves it."""

import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from quench_docs.links import is_relative
from quench_docs.page import Page, read_page

FOLDER = PurePosixPath("source")
_LANGUAGES = {".c": "c", ".h": "c", ".p4": "c", ".py": "python", ".rs": "rust", ".yaml": "yaml", ".json": "json"}
_IMAGES = frozenset({".png", ".svg"})
_FENCE = re.compile(r"^\s*(`{3,}|~{3,})")


class Site:
    """Where each file of the repository is on the site, and the pages of those that lie outside ``docs/``."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._docs = root / "docs"
        self.linked: dict[Path, PurePosixPath] = {}
        """Files and folders outside ``docs/`` that something links to."""

    def place(self, path: Path) -> PurePosixPath:
        """The page or the image, relative to the site's folder of pages."""
        if path.is_relative_to(self._docs):
            place = path.relative_to(self._docs)
            return PurePosixPath(place) / "index.md" if path.is_dir() else PurePosixPath(place)
        relative = PurePosixPath(path.relative_to(self._root))
        if path.is_dir():
            readme = path / "README.md"
            return self.place(readme) if readme.is_file() else FOLDER / relative / "index.md"
        name = relative if path.suffix in {".md", *_IMAGES} else relative.with_name(f"{relative.name}.md")
        return FOLDER / name

    def translate(self, page: Page, place: PurePosixPath) -> str:
        """The page's Markdown with its links as they are on the site; what it links to is remembered."""
        targets = {link.target: self._target(page, link.target, place) for link in page.links if is_relative(link)}
        lines = []
        fence = ""
        for line in page.path.read_text(encoding="utf-8").splitlines():
            marker = _FENCE.match(line)
            if marker and (not fence or marker.group(1).startswith(fence)):
                fence = "" if fence else marker.group(1)
            lines.append(line if fence else _replaced(line, targets))
        return "\n".join(lines) + "\n"

    def _target(self, page: Page, target: str, place: PurePosixPath) -> str:
        name, hash_sign, anchor = target.partition("#")
        if not name:
            return target
        path = (page.path.parent / name).resolve()
        to = self.place(path)
        if not path.is_relative_to(self._docs):
            self.linked[path] = to
        return PurePosixPath(os.path.relpath(to, place.parent)).as_posix() + hash_sign + anchor

    def source_pages(self) -> Iterator[tuple[PurePosixPath, str | bytes]]:
        """The files outside ``docs/`` that documents link to, directly or over other documents."""
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


def _replaced(line: str, targets: dict[str, str]) -> str:
    for old, new in targets.items():
        if old != new:
            line = re.sub(rf"""(\]\(|\]:\s*|(?:href|src)=["']){re.escape(old)}(?=[)\s"']|$)""", rf"\g<1>{new}", line)
    return line
