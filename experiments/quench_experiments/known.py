# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""What is known before an experiment is read: for help and completion, which import nothing that simulates."""

from pathlib import Path
from typing import Literal, get_args

from quench.places import PAPERS

DEFAULT_FOLDER = Path("out/experiments")
"""Where results are kept."""
MAX_SEEDS = 10_000
Scheme = Literal["mecn", "ecn-becn", "ecn"]
TUNED_SCHEMES: tuple[Scheme, ...] = get_args(Scheme)
"""Those that there is control theory for."""


def keys(folder: Path = PAPERS) -> list[str]:
    """The experiments of a folder, in order."""
    return sorted(path.stem for path in folder.glob("*.yaml"))
