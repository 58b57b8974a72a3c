# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``python -m quench_switch.toolchain COMMAND ARGUMENT...``: the call in the written scripts."""

import sys
from importlib.util import find_spec

from quench_switch.cli.entry import interrupts_end_at_once


def main() -> int:
    """Run the command that is the first argument; returns its status."""
    interrupts_end_at_once()
    command = sys.argv.pop(1)
    if command == "simple_switch_CLI":
        from .simple_switch_cli import run as command_line

        command_line()
        return 0
    from quench_switch.cli.app import NATIVE_MISSING
    from quench_switch.cli.lazy import NATIVE
    from quench_switch.cli.output import complain, whole_output

    if find_spec(NATIVE) is None:
        complain(command, NATIVE_MISSING)
        return 1
    if command in ("simple_switch", "simple_switch_grpc"):
        from .simple_switch import run

        run(command)
        return 0
    from .p4c import compiler, driver

    try:
        with whole_output():
            return driver() if command == "p4c" else compiler()
    except BrokenPipeError:
        # The reader of the output has ended.
        return 1
    except OSError as error:
        complain(command, error)
        return 1


if __name__ == "__main__":
    sys.exit(main())
