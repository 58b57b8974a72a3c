# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The pictures of the site are drawn by their commands, and load nothing from elsewhere."""

import re
import runpy
from pathlib import Path

import pytest
from quench_docs.figures import Figure, FigureError, figures
from quench_docs.page import Page, read_page
from quench_docs.programs import ROOT
from quench_docs.stage import StageError, gather, pictures

IMAGES = Path(__file__).parents[1] / "images"
DRAWN = ("curve-own.svg", "packet-way.svg", "top.svg")
"""A picture of a command, one of the repository's own, and one of a simulation. The others take minutes."""


def write(path: Path, block: str) -> Page:
    path.write_text(f"# X\n\n<!-- figure: x.svg What is\nseen -->\n```sh\n{block}\n```\nAfter.\n")
    return read_page(path)


@pytest.fixture(scope="module")
def drawn() -> dict[str, str]:
    return {each.file.name: each.draw().decode() for each in pictures(ROOT) if each.file.name in DRAWN}


def test_the_committed_picture_is_what_the_script_draws(tmp_path: Path) -> None:
    script = runpy.run_path(str(IMAGES / "architecture.py"))
    path = tmp_path / "drawn.svg"
    script["folders"]().write(path)
    assert (IMAGES / "folders.svg").read_text(encoding="utf-8") == path.read_text(encoding="utf-8")


def test_the_commands_of_the_pages_draw_their_pictures(drawn: dict[str, str]) -> None:
    assert set(drawn) == set(DRAWN)
    for text in drawn.values():
        assert "</svg>" in text
        assert "url(http" not in text
        assert "src=" not in text
    assert "recirculate" in drawn["packet-way.svg"]


def test_the_terminals_picture_has_the_screens_words(drawn: dict[str, str]) -> None:
    shown = " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", drawn["top.svg"])).replace("&#160;", " ")
    assert {"minth", "becnthresh", "maxth", "cwnd", "flow12", "marked/s", "average"} <= set(
        re.findall(r"[\w/]+", shown)
    )


def test_each_picture_is_shown_by_the_page_that_draws_it() -> None:
    texts = [text for text in gather(ROOT).values() if isinstance(text, str)]
    found = pictures(ROOT)
    assert len(found) >= 11
    for figure in found:
        assert figure.about
        assert sum(f"![{figure.about}](" in text and f"{figure.place})" in text for text in texts) == 1
        assert figure.file.name in figure.block.text or figure.file.parts[0] == "out"


def test_commands_that_fail_or_draw_nothing_are_named(tmp_path: Path) -> None:
    def only(block: str) -> Figure:
        page = write(tmp_path / f"{abs(hash(block))}.md", block)
        (figure,) = figures(page)
        return figure

    assert only("echo '<svg/>' >x.svg").draw() == b"<svg/>\n"
    assert only("echo '<svg/>' >x.svg").about == "What is seen"
    with pytest.raises(FigureError, match=r"md:5: x\.svg was not drawn: no colour"):
        only("echo 'no colour' >&2; false; touch x.svg").draw()
    with pytest.raises(FigureError, match=r"x\.svg was not drawn"):
        only("true").draw()


def test_two_pictures_of_one_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    write(tmp_path / "docs" / "a.md", "touch x.svg")
    assert [each.file.name for each in pictures(tmp_path)] == ["x.svg"]
    write(tmp_path / "docs" / "b.md", "touch x.svg")
    with pytest.raises(StageError, match=r"b\.md:5: another page draws x\.svg"):
        pictures(tmp_path)
