# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench host``: hands over to the loader of the host stack."""

import os
from pathlib import Path

import typer

from quench.errors import ControllerError
from quench.places import HOST_LOADER, how_to_get

CONTEXT = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}


def host(context: typer.Context) -> None:
    """Make this network namespace's TCP react: enable, disable, status, purge (docs/hosts.md)."""
    loader = Path(os.environ.get("QUENCH_HOST_LOADER", HOST_LOADER))
    if not loader.is_file():
        raise ControllerError(f"{loader}: the host stack is not built: {how_to_get('host')}")
    os.execv(loader, ["quench-host", *context.args])
