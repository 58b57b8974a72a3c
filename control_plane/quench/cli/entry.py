# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The beginning of the program ``quench``."""

from quench_switch.cli.entry import interrupts_end_at_once


def main() -> None:
    """Run the command line."""
    interrupts_end_at_once()
    from quench.cli.app import main as command_line

    command_line()
