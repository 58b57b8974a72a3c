# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Options of another program: those that have no effect here are named once."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from quench_switch.outside.text import printable
from quench_switch.version import VERSION


class Options(argparse.ArgumentParser):
    """A parser that takes no abbreviations, and whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """End the command with the message."""
        self.exit(2, printable(f"{self.prog}: {message}; {self.prog} --help lists the options") + "\n")


def parser(program: str, description: str) -> Options:
    """The beginning of a command's options."""
    made = Options(prog=program, description=description, allow_abbrev=False)
    made.set_defaults(ignored=[])
    return made


class Ignored(argparse.Action):
    """An option that is read, and whose only effect is that it is named."""

    def __call__(
        self,
        _parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        _values: Any,
        option_string: str | None = None,
    ) -> None:
        """Remember the option's name."""
        namespace.ignored = [*namespace.ignored, option_string]


def ignore(options: argparse.ArgumentParser, names: Iterable[str], *, value: bool) -> None:
    """Declare options that have no effect here, with a value or without."""
    for name in names:
        options.add_argument(name, action=Ignored, nargs=None if value else 0, help="has no effect")


def warn(program: str, text: str) -> None:
    """A line on stderr."""
    sys.stderr.write(printable(f"{program}: {text}") + "\n")


def name_ignored(program: str, ignored: Sequence[str]) -> None:
    """Name each option without effect once."""
    for option in dict.fromkeys(ignored):
        warn(program, f"{option} has no effect with Quench")


class Version(argparse.Action):
    """Prints the version and ends the command."""

    def __init__(self, option_strings: Sequence[str], dest: str, *, text: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help="print the version")
        self._text = text

    def __call__(self, parser: argparse.ArgumentParser, *_: object, **__: object) -> None:
        """Put the version of the installed package into the text."""
        # Here, because every command would wait for its import.
        sys.stdout.write(self._text.format(VERSION) + "\n")
        parser.exit()
