# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Mininet's command line, with a command for the built-in load and without tracebacks."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from quench.cli.output import table_console
from quench_switch.cli.output import complain

from quench_topologies.errors import TopologyError
from quench_topologies.mininet_api import CLI


def say(lines: Iterable[str]) -> None:
    """Print lines, which a terminal gets broken between words."""
    console = table_console()
    for line in lines:
        console.print(line, highlight=False)


class Prompt(CLI):  # type: ignore[misc]
    """Runs until its user leaves it, or until the end of a script, which a command that fails ends with TopologyError.

    ``describe_load`` gives the lines of the command ``traffic``.
    """

    def __init__(self, net: Any, describe_load: Callable[[], list[str]], script: Path | None = None) -> None:
        self._describe_load = describe_load
        self._script = script
        super().__init__(net, script=None if script is None else str(script))

    def onecmd(self, line: str) -> Any:
        """Run a line. Mininet raises Exception itself for what goes wrong in its commands."""
        try:
            return super().onecmd(line)
        except TopologyError:
            raise
        except Exception as error:
            words = f"{line.strip()}: {error or type(error).__name__}"
            if self._script is not None:
                raise TopologyError(f"{self._script}: {words}") from error
            complain("quench net", words)
            return False

    def do_traffic(self, _line: str) -> None:
        """Show what the built-in load did in the last seconds."""
        try:
            lines = self._describe_load()
        except TopologyError as error:
            # A load that has ended is no reason to end the network.
            if self._script is not None:
                raise
            complain("quench net", error)
            return
        say(lines)
