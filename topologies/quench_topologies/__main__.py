# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``python -m quench_topologies``."""

import sys

from quench.cli.entry import interrupts_end_at_once

if __name__ == "__main__":
    interrupts_end_at_once()
    from quench_topologies.cli import app

    sys.exit(app(prog_name="python -m quench_topologies"))
