# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""What the program ``quench`` starts with."""

import signal


def main() -> None:
    """Run the command line. Ctrl-C ends it at once, until a command with something to take back says otherwise.

    Python's own way is an exception wherever the program is, which is a traceback while modules are being imported.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from quench.cli.app import main as command_line

    command_line()
