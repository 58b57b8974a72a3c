# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Commands that live in other packages, imported only when they are called."""

import importlib

import typer


def mount(app: typer.Typer, name: str, module: str, help_text: str) -> None:
    """Add the command ``name``, whose options and work are those of ``MODULE.app``."""

    def run(context: typer.Context) -> None:
        command = typer.main.get_command(importlib.import_module(module).app)
        command.main(args=context.args, prog_name=f"quench {name}")

    settings = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
    app.command(name, help=help_text, context_settings=settings, add_help_option=False)(run)
