# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The places of files that are no Python: in the repository, or in an installed wheel.

A wheel carries them in ``quench/files``, at the paths that they have in the repository, so that a path below
``ROOT`` is right in both (packaging/wheel).
"""

from importlib.resources import files
from pathlib import Path
from typing import Final

CARRIED: Final = Path(str(files("quench"))) / "files"
INSTALLED: Final = CARRIED.is_dir()
"""Whether this is from a wheel; otherwise it is the repository's own code."""
ROOT: Final = CARRIED if INSTALLED else Path(__file__).resolve().parents[2]

PROGRAM: Final = ROOT / "build" / "quench.json"
"""The compiled P4 program, with its P4Info beside it."""
HOST_LOADER: Final = ROOT / "build" / "host" / "quench-host"
P4_SOURCES: Final = ROOT / "p4src"
PAPERS: Final = ROOT / "experiments" / "papers"
"""The experiments that belong to Quench."""
DATACENTRE: Final = ROOT / "experiments" / "datacentre"
"""Those about data centres."""
SIGNALS: Final = ROOT / "experiments" / "signals"
"""Those about signals that are proposed today."""
WORKLOADS: Final = ROOT / "experiments" / "workloads"
"""The sizes of messages that experiments name."""
NS2: Final = ROOT / "bench" / "ns2"
"""Scripts for ns-2, and its recorded results."""


def how_to_get(goals: str) -> str:
    """The mend where a part is missing that ``make GOALS`` builds."""
    if INSTALLED:
        return "the installation is not whole: run 'pip install --force-reinstall quench-net'"
    return f"run 'make {goals}'"
