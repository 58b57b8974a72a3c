# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench experiment`` with the simulations of fake_simulation; the environment's FAKE says which."""

import os
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1] / "runner"))
    import fake_simulation
    from quench_experiments.cli import run_cmd
    from quench_experiments.cli.app import app

    run_cmd.SIMULATE = getattr(fake_simulation, os.environ["FAKE"])
    app(prog_name="quench experiment")
