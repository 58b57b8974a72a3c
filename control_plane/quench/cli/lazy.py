# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Commands that are imported only when they are called: those of other packages, and those that import much."""

import gc
import importlib
from importlib.util import find_spec
from typing import Any

import typer
from quench_common.places import INSTALLED, how_to_get

from quench.errors import ControllerError

NATIVE_MISSING = f"the embedded switch is not built: {how_to_get('native')}"
EXPERIMENTS = ("distributed", "pyarrow", "scipy")
"""What the commands of the experiments import, besides what every command has."""
COMPLETE = "_QUENCH_COMPLETE"
"""The variable by which the scripts of `quench completion` ask what may come next."""
_PLACE = "quench_place"
_EXPERIMENTS = "the experiments are not installed: " + (
    "run 'pip install quench-net[experiments]'" if INSTALLED else how_to_get("setup")
)
_MININET = "Mininet is not installed: " + (
    "run 'apt-get install mininet', and make the environment by 'python3 -m venv --system-site-packages'"
    if INSTALLED
    else "run 'make setup' (Debian's package is 'mininet')"
)
_INSTALL = {
    "mininet": _MININET,
    **dict.fromkeys(("quench_experiments", *EXPERIMENTS), _EXPERIMENTS),
    "quench_switch": NATIVE_MISSING,
    "quench_topologies": f"the topologies are not installed: {how_to_get('setup')}",
}
"""The error where a package is missing, with its mend."""


def how_to_install(package: str) -> str:
    """What to do where one of the packages is missing that commands are imported from, or need."""
    return _INSTALL[package].partition(": ")[2]


def mount(app: typer.Typer, name: str, place: str, help_text: str, *, also: tuple[str, ...] = ()) -> None:
    """Add the command ``name``, whose options and work are those of ``MODULE:APP``; it also needs other packages.

    ``:APP`` may be left out, and is then ``app``.
    """
    needed = (place.partition(".")[0], *also)

    def run(context: typer.Context) -> None:
        for package in needed:
            if find_spec(package) is None:
                raise ControllerError(_INSTALL[package])
        _load(place).main(args=context.args, prog_name=context.command_path)

    setattr(run, _PLACE, place)
    settings = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
    app.command(name, help=help_text, context_settings=settings, add_help_option=False)(run)


def _load(place: str) -> Any:
    module, _, attribute = place.partition(":")
    # What is imported stays. Collections would look at all of it again and again: a tenth of a controller's start.
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
