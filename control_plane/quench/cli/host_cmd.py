# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench host``: hands over to the loader of the host stack."""

import os
from pathlib import Path

import typer

from quench.errors import ControllerError

CONTEXT = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
LOADER = Path(__file__).resolve().parents[3] / "build" / "host" / "quench-host"


def host(context: typer.Context) -> None:
    """Make this network namespace's TCP react: enable, disable, status, purge (docs/hosts.md)."""
    loader = Path(os.environ.get("QUENCH_HOST_LOADER", LOADER))
    if not loader.is_file():
        raise ControllerError(f"{loader}: the host stack is not built: run 'make host'")
    os.execv(loader, ["quench-host", *context.args])
