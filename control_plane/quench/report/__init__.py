# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Reports from one set of templates and charts: that of the experiments and that of the demo.

In: a template's values, and charts (``chart``). Out: an HTML page that needs no other file, or Markdown; charts on
paper (``still``) and on a screen (``interactive``). ``templates/page.html.j2`` is the page, ``parts.html.j2`` has
tables, lists and figures. A report's own templates are in the folder ``templates`` of its package.
"""

import base64
import re
from collections.abc import Callable, Mapping
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined, select_autoescape

_INLINE = re.compile(r"([\\`*\[\]<>&|~]|(?<!\w)_|_(?!\w))")
_BLOCK = re.compile(r"^([#+=-])")
_NUMBERED = re.compile(r"^(\d+)(?=[.)])")
"""Begin a block of Markdown: a heading, a list, a rule."""


def templates(package: str, filters: Mapping[str, Callable[..., Any]] | None = None) -> Environment:
    """The templates of a package, and the common ones.

    In a template ``NAME.html.j2`` every value is text and is escaped, unless a part made it. In ``NAME.md.j2`` the
    filters ``line`` and ``inline`` do that.
    """
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader("quench.report")]),
        autoescape=select_autoescape(("html.j2",)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        extensions=["jinja2.ext.do"],
    )
    environment.filters |= {"inline": inline, "line": line, "data_of_svg": data_of_svg, **(filters or {})}
    return environment


def inline(text: object) -> str:
    """A text inside of a line of Markdown, which shows it as it is: no HTML, link or cell begins or ends in it."""
    return _INLINE.sub(r"\\\1", " ".join(str(text).split()))


def line(text: object) -> str:
    """A text as a line of Markdown: as `inline`, and it begins no heading, list or rule."""
    shown = inline(text)
    return _NUMBERED.sub(r"\1\\", _BLOCK.sub(r"\\\1", shown))


def data_of_svg(document: str) -> str:
    """The URL of an SVG document that is inside of the page. Names in it cannot meet those of another document."""
    return f"data:image/svg+xml;base64,{base64.b64encode(document.encode()).decode()}"
