# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench grafana``: a dashboard over the controller's metrics."""

import json
from pathlib import Path
from typing import Annotated

import typer
from quench_switch.outside.files import write_files

from quench.errors import ControllerError
from quench.grafana.dashboard import dashboard


def grafana(
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE.json", help="The dashboard's file; without: stdout.")
    ] = None,
) -> None:
    """Write a Grafana dashboard over the controller's metrics, as JSON to import."""
    text = json.dumps(dashboard(), indent=2) + "\n"
    if output is None:
        typer.echo(text, nl=False)
        return
    try:
        write_files((output, text))
    except OSError as error:
        raise ControllerError(f"{output}: cannot be written: {error.strerror}") from error
    typer.echo(f"{output}: import it in Grafana by Dashboards > New > Import")


app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
app.command("grafana")(grafana)
