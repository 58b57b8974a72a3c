# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The pictures of docs/architecture.md are those that their script draws."""

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
