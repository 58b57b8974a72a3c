# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The parts of which reports are made: escaped texts, tables, lines of Markdown, figures."""

from typing import Any

import pytest
from jinja2 import UndefinedError
from markdown_it import MarkdownIt
from quench.report import inline, line, templates


def part(source: str, **values: Any) -> str:
    environment = templates("quench.report")
    environment.autoescape = True
    return environment.from_string('{% from "parts.html.j2" import bullets, image, table %}' + source).render(values)


def test_texts_are_escaped_once_and_parts_are_not() -> None:
    assert part("<p>{{ text }}</p>", text="a < b & 'c'") == "<p>a &lt; b &amp; &#39;c&#39;</p>"
    assert part("{% set link %}<b>{{ text }}</b>{% endset %}{{ bullets([link, text]) }}", text="<") == (
        "<ul><li><b>&lt;</b></li><li>&lt;</li></ul>"
    )
    assert '<img alt="&#34;&gt;&lt;script&gt;" src="data:' in part("{{ image(text, text) }}", text='"><script>')


def test_a_table_says_what_its_headings_head() -> None:
    html = part('{{ table(["what", "many"], [["a", "1"]], numeric=(1,), caption="Things") }}')
    assert "<caption>Things</caption>" in html
    assert '<th scope="col">what</th><th scope="col" class="number">many</th>' in html
    assert '<tr><th scope="row">a</th><td class="number">1</td></tr>' in html


def test_a_name_that_is_not_given_is_an_error() -> None:
    with pytest.raises(UndefinedError, match="'missing' is undefined"):
        part("{{ missing }}")


@pytest.mark.parametrize(
    "text",
    [
        "# a",
        "- a",
        "+ a",
        "1. a",
        "1) a",
        "---",
        "===",
        "> a",
        "a|b",
        "*a* _b_ `c` ~~d~~",
        "[a](b) ![c](d)",
        "<b>&lt;</b>",
    ],
)
def test_markdown_shows_a_text_as_it_is(text: str) -> None:
    (paragraph, inside, _) = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(line(text))
    assert paragraph.type == "paragraph_open"
    assert "".join(token.content for token in inside.children or ()) == text
    assert {token.type for token in inside.children or ()} <= {"text", "text_special"}


def test_lines_of_markdown_stay_lines() -> None:
    assert inline("1\n2  3") == "1 2 3"
    assert inline("-5.5") == "-5.5"
    assert line("two_words") == "two_words"
