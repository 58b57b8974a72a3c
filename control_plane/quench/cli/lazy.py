# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Commands of other packages: each is imported only when it is called."""

import importlib
from importlib.util import find_spec
from typing import Any

import typer

from quench.service.protocol import ControllerError

_MODULE = "quench_module"
_INSTALL = {
    "mininet": "Mininet is not installed: run 'make setup' (Debian's package is 'mininet')",
    "quench_experiments": "the experiments are not installed: run 'make setup' (or 'pip install -e experiments')",
    "quench_switch": "the embedded switch is not built: run 'make native'",
    "quench_topologies": "the topologies are not installed: run 'make setup' (or 'pip install -e topologies')",
}
"""The error where a package is missing, with its mend."""


def mount(app: typer.Typer, name: str, module: str, help_text: str, *, also: tuple[str, ...] = ()) -> None:
    """Add the command ``name``, whose options and work are those of ``MODULE.app``; it also needs other packages."""
    needed = (module.partition(".")[0], *also)

    def run(context: typer.Context) -> None:
        for package in needed:
            if find_spec(package) is None:
                raise ControllerError(_INSTALL[package])
        command = typer.main.get_command(importlib.import_module(module).app)
        command.main(args=context.args, prog_name=context.command_path)

    setattr(run, _MODULE, module)
    settings = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
    app.command(name, help=help_text, context_settings=settings, add_help_option=False)(run)


def module_of(command: Any) -> str | None:
    """The module whose ``app`` a mounted command runs; None for any other command."""
    module: str | None = getattr(getattr(command, "callback", None), _MODULE, None)
    return module
