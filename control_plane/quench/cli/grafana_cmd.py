# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench grafana``: a dashboard over the controller's metrics, with alerts and what starts Prometheus and Grafana."""

import json
from pathlib import Path
from typing import Annotated

import typer
from quench_switch.cli.commands import Commands
from quench_switch.outside.files import write_files

from quench.errors import ControllerError
from quench.grafana.dashboard import dashboard

DEFAULT_METRICS = "127.0.0.1:9464"


def grafana(
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE.json", help="The dashboard's file; without: stdout.")
    ] = None,
    stack: Annotated[
        Path | None,
        typer.Option("--stack", metavar="DIR", help="Write a compose file, alerts and all else that it needs there."),
    ] = None,
    metrics: Annotated[
        str, typer.Option("--metrics", metavar="HOST:PORT", help="With --stack: the controller's metrics.")
    ] = DEFAULT_METRICS,
) -> None:
    """Write a Grafana dashboard over the controller's metrics, alone or with Prometheus, alerts and a compose file."""
    if stack is not None:
        if output is not None:
            raise ControllerError("--output is in the folder of --stack: give one of them")
        _write_stack(stack, metrics)
        return
    text = json.dumps(dashboard(), indent=2) + "\n"
    if output is None:
        typer.echo(text, nl=False)
        return
    try:
        write_files((output, text))
    except OSError as error:
        raise ControllerError(f"{output}: cannot be written: {error.strerror}") from error
    typer.echo(f"{output}: import it in Grafana by Dashboards > New > Import")


def _write_stack(folder: Path, metrics: str) -> None:
    from quench.config.fields import host_and_port
    from quench.grafana.stack import PASSWORD, files

    try:
        address = host_and_port(metrics)
    except ValueError as error:
        raise ControllerError(f"--metrics: {error}") from error
    written = [(folder / place, text) for place, text in files(address).items()]
    try:
        for path, _ in written:
            path.parent.mkdir(parents=True, exist_ok=True)
        write_files(*written)
    except OSError as error:
        raise ControllerError(f"{error.filename}: cannot be written: {error.strerror}") from error
    typer.echo(f"{folder}: set {PASSWORD}, and start it by docker compose -f {folder / 'compose.yaml'} up -d")


app = Commands()
app.command("grafana")(grafana)
