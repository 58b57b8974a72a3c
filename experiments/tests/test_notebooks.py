# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The notebooks in examples/ run from their first cell to a figure, and what is stored in them is what comes out."""

import runpy
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
RUNNER = runpy.run_path(str(FOLDER / "run.py"))
MOST_BYTES = 200_000


def outputs(notebook: nbformat.NotebookNode) -> Iterator[nbformat.NotebookNode]:
    for cell in notebook.cells:
        yield from cell.get("outputs", [])


def texts(notebook: nbformat.NotebookNode) -> list[str]:
    """The outputs as text. Pixels depend on the machine's fonts, and numbers do not."""
    return [each.get("text", each.get("data", {}).get("text/plain")) for each in outputs(notebook)]


def test_there_are_two() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["queue", "sweep"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_to_its_figure_and_is_stored_with_it(path: Path) -> None:
    stored = nbformat.read(path, as_version=4)
    shown = [each.get("data", {}).keys() for each in outputs(stored)]
    assert any("image/png" in kinds for kinds in shown)
    assert any("text/html" in kinds for kinds in shown), "a table of pandas"
    assert all(each.output_type != "stream" for each in outputs(stored)), "a warning is stored"
    assert path.stat().st_size < MOST_BYTES
    now = RUNNER["executed"](path)
    assert [cell.source for cell in now.cells] == [cell.source for cell in stored.cells]
    assert texts(stored) == texts(now), "the outputs are old: run make notebooks"
