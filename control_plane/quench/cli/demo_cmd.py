# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench demo`` and ``quench soak``: hand over to the topologies' package."""

import importlib
from importlib.util import find_spec

import typer

from quench.service.protocol import ControllerError

CONTEXT = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}


def demo(context: typer.Context) -> None:
    """Run schemes side by side on the papers' topologies, with kernel TCP."""
    _hand_over("demo", context)


def soak(context: typer.Context) -> None:
    """Break every part on purpose under traffic, and check that nothing is lost or left."""
    _hand_over("soak", context)


def _hand_over(name: str, context: typer.Context) -> None:
    if find_spec("mininet") is None:
        raise ControllerError("Mininet is not installed: run 'make setup' (Debian's package is 'mininet')")
    module = importlib.import_module(f"quench_topologies.{name}.cli")
    typer.main.get_command(module.app).main(args=context.args, prog_name=f"quench {name}")
