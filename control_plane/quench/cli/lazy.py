# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Commands that are imported only when they are called, and what to do where a package is missing for one."""

import typer
from quench_switch.cli import lazy
from quench_switch.cli.commands import Panel
from quench_switch.cli.lazy import NATIVE, TRACES

from quench.places import INSTALLED, how_to_get

EXPERIMENTS = ("distributed", "pyarrow", "scipy")
"""The packages that the commands of the experiments import, besides those that every command needs."""
SIMULATOR = "quench_simulator._native"
COMPLETE = "_QUENCH_COMPLETE"
"""The variable by which the scripts of `quench completion` ask what may come next."""
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
    **dict.fromkeys((NATIVE, TRACES), f"the embedded switch is not built: {how_to_get('native')}"),
    SIMULATOR: f"the simulator is not built: {how_to_get('native')}",
    "quench_topologies": f"the topologies are not installed: {how_to_get('setup')}",
}
"""The error where a package is missing, with its mend."""


def not_installed(package: str) -> str:
    """The error of a command that needs a package which is missing."""
    return _INSTALL[package]


def how_to_install(package: str) -> str:
    """The command that installs a package which is missing."""
    return _INSTALL[package].partition(": ")[2]


def mount(
    app: typer.Typer,
    name: str,
    place: str,
    help_text: str,
    panel: Panel | None = None,
    *,
    also: tuple[str, ...] = (),
) -> None:
    """Add the command ``name``, whose options and work are those of ``MODULE:APP``; it also needs other packages."""
    needed = (place.partition(".")[0], *also)
    lazy.mount(app, name, place, help_text, panel=panel, needed=needed, mend=_INSTALL.__getitem__)
