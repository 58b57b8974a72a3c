# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Links between documents: each leads to a file and a heading that exist."""

from pathlib import Path

from quench_docs.page import Link, Page, read_page

_ELSEWHERE = ("http://", "https://", "mailto:")


def is_relative(link: Link) -> bool:
    """Whether the link leads to another file or place of the repository."""
    return not link.target.startswith(_ELSEWHERE)


def faults(page: Page, root: Path) -> list[str]:
    """A line ``FILE:LINE: fault`` for each link without a target."""
    found = []
    for link in page.links:
        problem = _problem(page, link, root) if is_relative(link) else None
        if problem:
            found.append(f"{page.path.relative_to(root)}:{link.line}: {link.target}: {problem}")
    return found


def _problem(page: Page, link: Link, root: Path) -> str | None:
    name, _, anchor = link.target.partition("#")
    if name.startswith("/"):
        return "a link of the repository is relative to its page"
    target = (page.path.parent / name).resolve() if name else page.path
    if not target.is_relative_to(root):
        return "lies outside the repository"
    if not target.exists():
        return "there is no such file"
    if not anchor:
        return None
    if target.suffix != ".md":
        return "only a document has headings"
    if anchor not in read_page(target).anchors:
        return f"{target.relative_to(root)} has no heading #{anchor}"
    return None
