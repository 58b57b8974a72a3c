# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Commands that are imported only when they are called: those of other packages, and those that import much."""

import gc
import importlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

import typer

from quench_switch.cli.commands import Panel

NATIVE = "quench_switch._native"
TRACES = "quench_switch.trace.packet_trace_pb2"
"""The messages of packet traces, which the build generates."""
_HELP = "--help"
_PLACE = "quench_place"


class MissingError(Exception):
    """A package is missing that a command needs. The message says what to do."""


class Later:
    """A module that is imported when something of it is used. The help and the completion of a command use nothing."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(importlib.import_module(self._name), attribute)


def later(name: str) -> Any:
    """The module ``name``, imported later."""
    return Later(name)


def mount(
    app: typer.Typer,
    name: str,
    place: str,
    help_text: str,
    *,
    panel: Panel | None = None,
    needed: Sequence[str] = (),
    mend: Callable[[str], str],
) -> None:
    """Add the command ``name``, whose options and work are those of ``MODULE:APP``, listed under a heading.

    ``:APP`` may be left out, and is then ``app``. The command raises MissingError where a package is missing that it
    needs, with what ``mend`` says about it. Its help needs only the package that it is in, the first of ``needed``.
    """

    def run(context: typer.Context) -> None:
        for package in needed[:1] if _HELP in context.args else needed:
            if not _is_there(package):
                raise MissingError(mend(package))
        _load(place).main(args=context.args, prog_name=context.command_path)

    setattr(run, _PLACE, place)
    settings = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
    register = app.command(
        name, help=help_text, context_settings=settings, add_help_option=False, rich_help_panel=panel
    )
    register(run)


def _is_there(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:
        # The package that it is in begins with an import of it.
        return False


def _load(place: str) -> Any:
    module, _, attribute = place.partition(":")
    with no_collections():
        return typer.main.get_command(getattr(importlib.import_module(module), attribute or "app"))


@contextmanager
def no_collections() -> Iterator[None]:
    """Import without collections of garbage: modules stay, and looking at them again takes a tenth of a start."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def mounted(command: Any) -> Any:
    """The command that a mounted one runs, imported; None for any other command."""
    place: str | None = getattr(getattr(command, "callback", None), _PLACE, None)
    return None if place is None else _load(place)
