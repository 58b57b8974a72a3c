# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/performance.md, from a recording that is made up."""

import pytest
from figures import BenchError, Figure, Part, Recording
from page import PAGE, PLACE, filled

MACHINE = {"id": "here", "cores": 2, "processor": "a processor", "kernel": "6.18", "python": "3.11"}


def recording(*figures: Figure) -> Recording:
    return Recording(MACHINE, {"wire": Part("2026-01-02T03:04:05+00:00", "abc", False, figures)})


def page(marker: str) -> str:
    return f"Before.\n\n<!-- figures: {marker} -->\n\nold\n\n<!-- end -->\n\nAfter.\n"


def test_a_table_has_the_figures_that_its_pattern_matches() -> None:
    found = recording(
        Figure("paced at 1 Mb/s, error", (0.001, 0.002, 0.003), "of the rate", "less", "ratio"),
        Figure("quench.p4, 60 B", (369_000.0,), "packets/s", "more"),
    )
    text = filled(page("wire ^paced"), found)
    assert "| paced at 1 Mb/s, error | 0.002 | 0.001 to 0.003 | of the rate |" in text
    assert "quench.p4" not in text
    assert "old" not in text
    assert text.startswith("Before.\n\n<!-- figures: wire ^paced -->\n")
    assert text.endswith("<!-- end -->\n\nAfter.\n")
    assert filled(text, found) == text
    assert "| quench.p4, 60 B | 369,000 |  | packets/s |" in filled(page("wire"), found)


def test_the_wire_has_a_row_for_each_device() -> None:
    names = ("60 B", "60 B, over the forwarder", "60 B, by processor time, over the forwarder", "TCP with offloads")
    values = (300_000.0, 0.7, 0.6, 0.0)
    figures = [Figure(f"quench.p4, profile, {n}", (v,), "", "more") for n, v in zip(names, values, strict=True)]
    text = filled(page("wire table"), recording(*figures))
    assert "| quench.p4, profile | 300  0.70  0.60 |  |  |  | stalled |  |" in text


def test_tables_of_parts_that_were_not_measured_stay() -> None:
    assert filled(page("control"), recording()) == page("control")


def test_a_pattern_that_matches_nothing_is_refused() -> None:
    with pytest.raises(BenchError, match="no figure has such a name"):
        filled(page("wire ^nothing"), recording())


def test_the_machine_and_the_dates_of_its_parts_are_named() -> None:
    text = filled(page("machine"), recording())
    assert "2 cores of a processor, Linux 6.18." in text
    assert "| wire | 2026-01-02 | `abc` | false |" in text


def test_the_page_has_places_for_every_part() -> None:
    found = {place["part"] for place in PLACE.finditer(PAGE.read_text(encoding="utf-8"))}
    assert found >= {"machine", "wire", "dataplane", "control", "simulator", "command-line", "waits"}
