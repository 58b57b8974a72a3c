# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench experiment``: hands over to the experiments' package."""

import importlib
from importlib.util import find_spec

import typer

from quench.service.protocol import ControllerError

CONTEXT = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}


def hand_over(name: str, module: str, args: list[str]) -> None:
    """Run ``quench NAME``, which is ``MODULE.app`` of the experiments' package. Raises ControllerError without it."""
    if find_spec("quench_experiments") is None:
        raise ControllerError("the experiments are not installed: run 'make setup' (or 'pip install -e experiments')")
    app = importlib.import_module(module).app
    typer.main.get_command(app).main(args=args, prog_name=f"quench {name}")


def experiment(context: typer.Context) -> None:
    """Run the papers' experiments on the simulator, and compare them with what was published."""
    hand_over("experiment", "quench_experiments.cli.app", context.args)
