# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench controller``: run the controller, or check its configuration."""

import asyncio
import logging
from pathlib import Path
from typing import Annotated

import typer
from quench_switch.cli.commands import Commands
from quench_switch.cli.lazy import no_collections
from quench_switch.outside.text import counted

from quench.cli.completed import YAML, files
from quench.cli.options import parsed
from quench.signals import until_signalled

LOGGER = logging.getLogger(__name__)
app = Commands("The P4Runtime controller.")


@app.callback()
def _group() -> None:
    pass


@app.command()
def run(
    config: Annotated[
        Path,
        typer.Argument(
            metavar="CONFIG.yaml", help="The configuration.", show_default=False, autocompletion=files(*YAML)
        ),
    ],
    election_id: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            min=1,
            max=2**63 - 1,
            help="Election id instead of the file's: the highest works, the others stand by.",
        ),
    ] = None,
    socket: Annotated[
        Path | None, typer.Option("--socket", metavar="PATH", help="Socket instead of the file's.")
    ] = None,
    metrics: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help="Prometheus endpoint instead of the file's.")
    ] = None,
) -> None:
    """Program the switches of a configuration and answer their packets until interrupted."""
    with no_collections():
        from quench.config import load_config
        from quench.config.fields import host_and_port
        from quench.service.controller import Controller

    given: dict[str, object] = {"election_id": election_id, "socket": socket}
    given["metrics"] = metrics if metrics is None else parsed("--metrics", host_and_port, metrics)
    changes = {name: value for name, value in given.items() if value is not None}
    controller = Controller(load_config(config).model_copy(update=changes))
    asyncio.run(until_signalled(controller.run()))
    LOGGER.info("stopped")


@app.command()
def check(
    config: Annotated[
        Path,
        typer.Argument(
            metavar="CONFIG.yaml", help="The configuration.", show_default=False, autocompletion=files(*YAML)
        ),
    ],
) -> None:
    """Check a configuration without a switch."""
    from quench.config import load_config

    loaded = load_config(config)
    switches = counted(len(loaded.switches), "switch", "switches")
    profiles = counted(len(loaded.profiles), "profile")
    typer.echo(f"{config}: {switches}, {profiles}: no faults")
