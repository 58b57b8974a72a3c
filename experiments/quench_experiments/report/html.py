# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Pieces of HTML. Text that comes in is text: it is escaped here and nowhere else."""

import base64
from collections.abc import Iterable, Sequence
from html import escape


def element(name: str, *content: str, **attributes: str) -> str:
    """An element around HTML. ``class_`` is the attribute class; the values of attributes are text."""
    pairs = (f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"' for key, value in attributes.items())
    return f"<{name}{''.join(pairs)}>{''.join(content)}</{name}>"


def text(name: str, content: str, **attributes: str) -> str:
    """An element around text."""
    return element(name, escape(content), **attributes)


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]], numeric: Sequence[int] = ()) -> str:
    """A table; cells are HTML, the first of each row heads it, and columns of numbers stand to the right."""

    def classes(index: int) -> dict[str, str]:
        return {"class_": "number"} if index in numeric else {}

    headings = [text("th", each, scope="col", **classes(index)) for index, each in enumerate(head)]
    body = [
        element(
            "tr",
            element("th", row[0], scope="row"),
            *(element("td", cell, **classes(index)) for index, cell in enumerate(row[1:], 1)),
        )
        for row in rows
    ]
    parts = [
        text("caption", caption) if caption else "",
        element("thead", element("tr", *headings)),
        element("tbody", "\n".join(body)),
    ]
    return element("div", element("table", *parts), class_="tablebox")


def svg_image(document: str, alt: str) -> str:
    """An SVG inside the page, on its own: names in it cannot meet those of another."""
    content = base64.b64encode(document.encode()).decode()
    return f'<img alt="{escape(alt)}" src="data:image/svg+xml;base64,{content}">'


def bullets(items: Iterable[str]) -> str:
    """A list; items are HTML."""
    return element("ul", *(element("li", item) for item in items))
