# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Names and limits for help and completion, which import nothing that reads or simulates an experiment."""

from pathlib import Path
from typing import Literal, get_args

from quench.places import DATACENTRE, PAPERS, SIGNALS

DEFAULT_FOLDER = Path("out/experiments")
"""The folder of the results."""
MAX_SEEDS = 10_000
Scheme = Literal["mecn", "ecn-becn", "ecn"]
TUNED_SCHEMES: tuple[Scheme, ...] = get_args(Scheme)
"""Those that there is control theory for."""


FOLDERS = (PAPERS, DATACENTRE, SIGNALS)
"""The folders of Quench's own experiments."""


def key_of(path: Path) -> str:
    """The key of an experiment's file. Those of other folders than the papers' begin with its name."""
    is_other = path.parent in FOLDERS and path.parent != PAPERS
    return f"{path.parent.name}.{path.stem}" if is_other else path.stem


def own_files(folder: Path | None = None) -> dict[str, Path]:
    """The experiments of a folder by their keys, in order; None: all of Quench's own."""
    folders = FOLDERS if folder is None else (folder,)
    return {key_of(path): path for each in folders for path in sorted(each.glob("*.yaml"), key=lambda path: path.stem)}


def keys(folder: Path | None = None) -> list[str]:
    """The keys of a folder, in order; None: all of Quench's own."""
    return list(own_files(folder))
