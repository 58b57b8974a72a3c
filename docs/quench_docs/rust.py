# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The page that leads to rustdoc's, which ``make docs-rust`` puts beside the site's own."""

import re
import tomllib
from pathlib import PurePosixPath

from quench_docs.programs import manifests

_OPENING = re.compile(r"^//! ?(.*)$", re.MULTILINE)


def pages() -> dict[PurePosixPath, str]:
    """Markdown by path: one page, with a line for each crate."""
    rows = []
    for manifest in manifests():
        settings = tomllib.loads(manifest.read_text(encoding="utf-8"))
        library = manifest.parent / "src" / "lib.rs"
        if not library.is_file():
            continue
        name = settings.get("lib", {}).get("name", settings["package"]["name"].replace("-", "_"))
        # Raw HTML: what rustdoc writes is no page that the site generator knows.
        link = f'<a href="../../rust/{name}/index.html">{name}</a>'
        rows.append(f"| {link} | {_first_sentence(library.read_text(encoding='utf-8'))} |")
    text = (
        "# Rust\n\n"
        "The crates of `softswitch/`, `simulator/` and `p4src/tests/`, documented by rustdoc with their private items. "
        "`make docs` builds it.\n\n"
        "| crate | |\n|---|---|\n"
    )
    return {PurePosixPath("reference/rust.md"): text + "\n".join(rows) + "\n"}


def _first_sentence(source: str) -> str:
    paragraph: list[str] = []
    for line in _OPENING.findall(source):
        if not line and paragraph:
            break
        paragraph.append(line)
    sentence = re.split(r"(?<=\.)\s", " ".join(paragraph), maxsplit=1)[0]
    return re.sub(r"\[(`[^`]+`)\](\([^)]*\))?", r"\1", sentence).replace("|", "\\|")
