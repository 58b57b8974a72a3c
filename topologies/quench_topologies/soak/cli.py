# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench soak``."""

from pathlib import Path
from typing import Annotated

import typer
from quench_switch.cli.commands import Commands

app = Commands()


@app.command()
def soak(
    seconds: Annotated[
        float, typer.Option(metavar="SECONDS", min=30, help="How long faults are injected, about.")
    ] = 600,
    seed: Annotated[
        int, typer.Option(metavar="NUMBER", min=0, help="Of the faults' order and lengths, and of the traffic.")
    ] = 1,
    program: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder of quench.json.", show_default="build")
    ] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where summary.json and the logs go.")] = Path("out/soak"),
) -> None:
    """Break controller, switches, hosts, links and disks under traffic, and check that nothing is lost or left.

    Hostile clients of every protocol are there all the time.

    Needs root. The status is 1 when an invariant is broken. Nothing of the machine's own network is touched.
    """
    # Here: the help needs no network.
    from quench_topologies.soak.session import run

    run(seconds, seed, program, out)
