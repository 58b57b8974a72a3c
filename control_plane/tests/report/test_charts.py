# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Charts: one declaration, drawn on paper and for a screen."""

import re
from xml.etree import ElementTree

import pytest
from quench.colours import BLUE, GREEN
from quench.report.chart import Band, BarPanel, Bars, Bundle, Level, Line, Marks, Panel, Points, Shade, apart
from quench.report.interactive import embed
from quench.report.still import pdf, png, side_by_side, single, stacked, svg

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "</script><script>alert(1)</script> & $x$"
PANEL = Panel(
    "time, s",
    "queue, packets",
    (
        Shade(0, 1),
        Line("average", [0, 1, 2], [1, 2, 3], BLUE, "dashed"),
        Line("counted", [0, 1, 2], [3, 2, 3], BLUE, marker="circle", error=[0.1, 0.2, 0.3]),
        Band("half of them", [0, 1, 2], [0, 1, 2], [2, 3, 4], BLUE),
        Bundle("each (click)", [([0, 1], [5, 6]), ([0, 1], [7, 8])], GREEN),
        Level("minth 15KB", 1.5),
        Level("outside", 99),
        Points("the paper", [1], [2.5], GREEN, "star", [0.5]),
    ),
    title="A queue",
    x_range=(0, 2),
    y_range=(0, 10),
)
BARS = BarPanel(
    "Lost",
    "packets",
    ["red", "ecn"],
    [Bars("early", [3, None], BLUE), Bars("forced", [2, 1], GREEN, "/", errors=[0.5, None])],
    ["5", "1"],
    [Marks("the paper", [9, None], GREEN, "star", [1, None])],
)


def words(document: str) -> list[str]:
    return ["".join(each.itertext()) for each in ElementTree.fromstring(document).iter(f"{SVG}text")]


def test_on_paper_everything_but_single_curves_has_its_name() -> None:
    found = words(svg(stacked([PANEL, PANEL])))
    for text in ("A queue", "average", "counted", "half of them", "minth 15KB", "the paper", "queue, packets"):
        assert found.count(text) == 2, text
    assert found.count("time, s") == 1
    assert not {"each (click)", "outside"} & set(found)


def test_bars_have_names_numbers_and_marks() -> None:
    assert {"red", "ecn", "5", "1", "early", "forced", "the paper", "Lost"} <= set(words(svg(single(BARS, 5, 3))))
    found = words(svg(side_by_side([BARS, BARS, BARS, BARS])))
    assert found.count("Lost") == 4
    assert found.count("red") == 2
    assert BARS.ends() == [10, 1]


def test_bars_have_room_for_everything_and_for_0() -> None:
    def limits(*values: float | None, errors: tuple[float, ...] = ()) -> tuple[float, float]:
        names = [str(index) for index in range(len(values))]
        return BarPanel("t", "v", names, [Bars("", values, BLUE, errors=errors)], names).limits()

    assert BARS.limits() == (0, 10)
    assert limits(-3, 2, errors=(1, 1)) == (-4, 3)
    assert limits(4, None) == (0, 4)
    assert limits(0, 0) == limits(None) == (0, 1)


def test_names_are_no_formulas_and_no_markup() -> None:
    panel = Panel(HOSTILE, HOSTILE, (Line(HOSTILE, [0, 1], [0, 1], BLUE), Level(HOSTILE, 1)), y_range=(0, 2))
    assert words(svg(single(panel, 6, 3))).count(HOSTILE) == 4
    embedded = embed({"a": panel})
    assert len(re.findall(r"</script>", embedded.script)) == 1


def test_places_may_have_names() -> None:
    panel = Panel("scheme", "loss", (Line("", [0, 1], [3, 4], BLUE),), names=["becn", "ecn"])
    assert {"becn", "ecn"} <= set(words(svg(single(panel, 6, 3))))


def test_the_same_figure_gives_the_same_bytes() -> None:
    first, second = (stacked([PANEL]) for _ in range(2))
    assert svg(first) == svg(second)
    document = pdf(first)
    assert document == pdf(second)
    # Type 42 is TrueType, which journals take; type 3 they refuse.
    assert b"/Type3" not in document
    assert png(first).startswith(b"\x89PNG")


def test_names_of_levels_keep_their_distance() -> None:
    levels = [Level("b", 5.1), Level("a", 5), Level("far", 9), Level("above", 11)]
    placed = [(level.label, place) for level, place in apart(levels, 0, 10, 0.1)]
    assert placed == [("a", 5), ("b", 6), ("far", 9)]


def test_on_a_screen_there_is_a_place_for_each_chart_and_the_library_is_inside() -> None:
    embedded = embed({"queue": PANEL, "lost": BARS})
    assert set(embedded.charts) == {"queue", "lost"}
    for name in ("average", "each (click)", "minth 15KB", "the paper", "forced", "Whisker"):
        assert name in embedded.script
    assert "outside" not in embedded.script
    assert "<script" in embedded.head
    assert not re.search(r"<(script|link)[^>]+(src|href)=", embedded.head)


@pytest.mark.parametrize("part", [Bundle("none", [], BLUE), Line("empty", [], [], BLUE), Band("", [], [], [], BLUE)])
def test_charts_without_points_are_drawn(part: Line | Band | Bundle) -> None:
    panel = Panel("x", "y", (part,), x_range=(0, 1), y_range=(0, 1))
    assert "y" in words(svg(stacked([panel])))
    assert embed({"a": panel}).script
