# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The beginning of the program ``quench-switch``."""

import signal


def main() -> None:
    """Run the command line."""
    interrupts_end_at_once()
    from quench_switch.cli.app import main as command_line

    command_line()


def interrupts_end_at_once() -> None:
    """Let Ctrl-C end the process, until a command with something to take back catches the signal.

    Python's own handler raises an exception wherever the program is, which prints a traceback during imports.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
