# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from quench_experiments.runner.environment import DEFAULT_PROGRAM
from quench_experiments.runner.folder import DEFAULT_FOLDER

MAX_SEEDS = 10_000
OutOption = Annotated[Path, typer.Option("--out", metavar="DIR", help="Where the results are kept.")]
ProgramOption = Annotated[
    Path,
    typer.Option(
        "--program",
        metavar="FILE",
        help="The compiled P4 program; its P4Info is beside it.",
        show_default="build/quench.json",
    ),
]
SeedsOption = Annotated[
    int | None,
    typer.Option("--seeds", min=1, max=MAX_SEEDS, help="Seeds from 1 to this.", show_default="by experiment"),
]
OUT, PROGRAM = DEFAULT_FOLDER, DEFAULT_PROGRAM
