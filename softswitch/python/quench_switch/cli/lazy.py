# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Commands that are imported only when they are called: those of other packages, and those that import much."""

import gc
import importlib
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

import typer

NATIVE = "quench_switch._native"
_PLACE = "quench_place"


class MissingError(Exception):
    """A package is missing that a command needs. The message says what to do."""


def mount(
    app: typer.Typer,
    name: str,
    place: str,
    help_text: str,
    *,
    needed: Sequence[str] = (),
    mend: Callable[[str], str],
) -> None:
    """Add the command ``name``, whose options and work are those of ``MODULE:APP``.

    ``:APP`` may be left out, and is then ``app``. The command raises MissingError where a package is missing that it
    needs, with what ``mend`` says about it.
    """

    def run(context: typer.Context) -> None:
        for package in needed:
            if find_spec(package) is None:
                raise MissingError(mend(package))
        _load(place).main(args=context.args, prog_name=context.command_path)

    setattr(run, _PLACE, place)
    settings = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
    app.command(name, help=help_text, context_settings=settings, add_help_option=False)(run)


def _load(place: str) -> Any:
    module, _, attribute = place.partition(":")
    # Imported modules stay. Collections would look at all of it again and again: a tenth of a controller's start.
    gc.disable()
    try:
        return typer.main.get_command(getattr(importlib.import_module(module), attribute or "app"))
    finally:
        gc.freeze()
        gc.enable()


def mounted(command: Any) -> Any:
    """The command that a mounted one runs, imported; None for any other command."""
    place: str | None = getattr(getattr(command, "callback", None), _PLACE, None)
    return None if place is None else _load(place)
