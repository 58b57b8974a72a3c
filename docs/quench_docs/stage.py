# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The input of the site generator: all pages in one folder, and its configuration with the navigation written out."""

import shutil
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from quench_docs import command_line, formats, python_api, rust
from quench_docs.figures import Figure, figures
from quench_docs.overview import overview
from quench_docs.page import read_page
from quench_docs.sources import FOLDER, PAGES, Site

SERVED = frozenset({".css", ".md", ".png", ".svg"})
"""Kinds of files in the folders of pages that are part of the site."""
TOOLS = ("quench_docs", "tests")
"""Folders of ``docs/`` without such files."""
OVERVIEWS = {
    title: PurePosixPath(folder, "index.md") for title, folder in (("How-to", "how-to"), ("Reference", "reference"))
}
"""Sections whose first pages are made of the navigation."""
INTERNAL = (FOLDER,)
"""Folders of the site that its navigation leaves out: links lead there."""


class StageError(Exception):
    """The navigation and the pages do not fit: one line."""


def stage(root: Path, out: Path) -> None:
    """Write ``out/mkdocs.yml`` and ``out/docs``, without what was there. Raises StageError, OSError."""
    pages = gather(root)
    configuration = yaml.safe_load((root / "mkdocs.yml").read_text(encoding="utf-8"))
    configuration["nav"] = navigation(configuration["nav"], {*pages, *OVERVIEWS.values()})
    for section in configuration["nav"]:
        ((title, entries),) = section.items()
        if title in OVERVIEWS:
            pages[OVERVIEWS[title]] = overview(title, entries, pages, OVERVIEWS[title])
    configuration["docs_dir"] = "docs"
    configuration["site_dir"] = "site"
    if (out / "docs").exists():
        shutil.rmtree(out / "docs")
    for place, content in pages.items():
        path = out / "docs" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    (out / "mkdocs.yml").write_text(yaml.safe_dump(configuration, sort_keys=False, allow_unicode=True))


def gather(root: Path) -> dict[PurePosixPath, str | bytes]:
    """Everything that the site is made of, by place: documents, generated pages, and the files that they link to."""
    site = Site(root)
    pages: dict[PurePosixPath, str | bytes] = {}
    for path in documents(root):
        place = site.place(path)
        pages[place] = site.translate(read_page(path), place) if path.suffix == ".md" else path.read_bytes()
    for generated in (command_line.pages(), python_api.pages(), formats.pages(), rust.pages()):
        pages.update(generated)
    pages.update(site.source_pages())
    return pages


def pictures(root: Path) -> list[Figure]:
    """The pictures that the pages' commands draw. Raises StageError where two have one name."""
    found = [figure for path in documents(root) if path.suffix == ".md" for figure in figures(read_page(path))]
    places: set[PurePosixPath] = set()
    for figure in found:
        if figure.place in places:
            raise StageError(f"{figure.page}:{figure.block.line}: another page draws {figure.file.name}")
        places.add(figure.place)
    return found


def documents(root: Path) -> list[Path]:
    """The files of the folders of pages that are part of the site."""
    found = ((path, root / folder) for folder in PAGES for path in (root / folder).rglob("*") if path.suffix in SERVED)
    return sorted(path for path, folder in found if path.relative_to(folder).parts[0] not in TOOLS)


def navigation(entries: list[Any], places: set[PurePosixPath]) -> list[Any]:
    """The navigation with folders (``decisions/``) written out: their pages that no other entry names.

    Raises StageError unless it has every page.
    """
    elsewhere = set(_places(entries))
    written = [_expanded(entry, places - elsewhere) for entry in entries]
    named = set(_places(written))
    pages = {place for place in places if place.suffix == ".md" and place.parts[0] not in map(str, INTERNAL)}
    for place in sorted(named - places):
        raise StageError(f"mkdocs.yml: nav: there is no {place}")
    for place in sorted(pages - named):
        raise StageError(f"mkdocs.yml: nav: {place} is in no section")
    return written


def _expanded(entry: Any, places: set[PurePosixPath]) -> Any:
    if isinstance(entry, str):
        return entry
    ((title, value),) = entry.items()
    if isinstance(value, list):
        return {title: [_expanded(each, places) for each in value]}
    if not value.endswith("/"):
        return entry
    found = sorted(place for place in places if place.parent == PurePosixPath(value) and place.suffix == ".md")
    if not found:
        raise StageError(f"mkdocs.yml: nav: {value} has no page")
    found.sort(key=lambda place: place.name != "index.md")
    return {title: [str(place) for place in found]}


def _places(entries: Any) -> Iterator[PurePosixPath]:
    if isinstance(entries, str):
        yield PurePosixPath(entries)
    elif isinstance(entries, dict):
        for value in entries.values():
            yield from _places(value)
    else:
        for entry in entries:
            yield from _places(entry)
