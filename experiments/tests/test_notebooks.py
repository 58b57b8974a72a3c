# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The notebooks in examples/ run from their first cell to a figure."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "examples" / "notebooks").glob("*.ipynb"))
CELL_S = 120
"""The longest time of a cell, on a busy machine."""


def test_there_are_two() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["queue", "sweep"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_to_its_figure(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert not any(cell.outputs for cell in code), "clear the outputs: they age"
    NotebookClient(
        notebook, timeout=CELL_S, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}}
    ).execute()
    shown = [output.get("data", {}).keys() for cell in code for output in cell.outputs]
    assert any("image/png" in kinds for kinds in shown)
    assert any("text/html" in kinds for kinds in shown), "a table of pandas"
