# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Options that several commands share. Nothing is imported here that help and completion do not need."""

from pathlib import Path
from typing import Annotated

import typer
from quench.cli.completed import YAML, beginning
from quench.targets import TARGETS

from quench_topologies.plan import ISQ_MODES

TargetOption = Annotated[
    str,
    typer.Option(
        "--target",
        metavar="TARGET",
        help="embedded, bmv2 or tna, the embedded switch with the TNA program.",
        autocompletion=beginning(TARGETS),
    ),
]
IsqModeOption = Annotated[
    str,
    typer.Option(
        "--isq-mode",
        metavar="MODE",
        help="Maker of source quenches: cpu (the controller), dataplane or off.",
        autocompletion=beginning(ISQ_MODES),
    ),
]
LiveOption = Annotated[
    bool,
    typer.Option(
        "--live", help="Serve a page on loopback with the queues and flows as they are; its address is printed."
    ),
]
MAX_FLOWS = 1000
"""TCP flows of a network."""
PAPER = "paper"
"""The datagrams of the network's paper, instead of a rate."""


def is_description(path: Path) -> bool:
    """Whether a path names a program's description, and not a folder."""
    return path.suffix in YAML
