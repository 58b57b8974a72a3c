# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Names and limits for help and completion, which import nothing that reads or simulates an experiment."""

from pathlib import Path
from typing import Literal, get_args

from quench.places import PAPERS

DEFAULT_FOLDER = Path("out/experiments")
"""The folder of the results."""
MAX_SEEDS = 10_000
Scheme = Literal["mecn", "ecn-becn", "ecn"]
TUNED_SCHEMES: tuple[Scheme, ...] = get_args(Scheme)
"""Those that there is control theory for."""


def keys(folder: Path = PAPERS) -> list[str]:
    """The experiments of a folder, in order."""
    return sorted(path.stem for path in folder.glob("*.yaml"))
