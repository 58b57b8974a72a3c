# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures are those that their scripts draw, and load nothing from elsewhere."""

import re
import runpy
from pathlib import Path

import pytest

IMAGES = Path(__file__).parents[1] / "images"


@pytest.mark.parametrize(("name", "function"), [("packet-way", "packet"), ("folders", "folders")])
def test_picture_is_what_the_script_draws(name: str, function: str, tmp_path: Path) -> None:
    script = runpy.run_path(str(IMAGES / "architecture.py"))
    drawn = tmp_path / "drawn.svg"
    script[function]().write(drawn)
    assert (IMAGES / f"{name}.svg").read_text(encoding="utf-8") == drawn.read_text(encoding="utf-8")


def test_the_terminals_picture_has_what_its_script_draws(tmp_path: Path) -> None:
    """The figures in it may differ where the simulator or the P4 program has changed; its words may not."""
    script = runpy.run_path(str(IMAGES / "terminal.py"))
    script["draw"](tmp_path / "drawn.svg")
    drawn, kept = (words(path) for path in (tmp_path / "drawn.svg", IMAGES / "top.svg"))
    assert drawn == kept
    assert {"minth", "becnthresh", "maxth", "cwnd", "flow12", "marked/s", "average"} <= kept


def words(path: Path) -> set[str]:
    """The words on a terminal's picture that hold no figure but a name's."""
    text = path.read_text(encoding="utf-8")
    assert "url(http" not in text
    assert "src=" not in text
    shown = " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", text)).replace("&#160;", " ")
    return {word for word in re.findall(r"[\w/]+", shown) if re.match(r"[a-z]", word)}
