# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``python examples/notebooks/run.py``: runs the notebooks and stores their outputs in them, as `make notebooks` does.

The same code gives the same tables; a test compares what is stored with what comes out now.
"""

from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parent
CELL_S = 120
"""The longest time of a cell, on a busy machine."""


def executed(path: Path) -> nbformat.NotebookNode:
    """The notebook with the outputs of all its cells. Raises CellExecutionError."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=CELL_S,
        kernel_name="python3",
        record_timing=False,
        resources={"metadata": {"path": str(path.parent)}},
    )
    client.execute()
    # The version of Python that has run it is no part of the notebook.
    notebook.metadata["language_info"] = {"name": "python"}
    return notebook


def main() -> None:
    """The command."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        nbformat.write(executed(path), path)
        print(f"{path.name}: {path.stat().st_size} bytes")  # noqa: T201


if __name__ == "__main__":
    main()
