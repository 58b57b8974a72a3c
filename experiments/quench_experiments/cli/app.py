# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench experiment``: its commands."""

import logging

from quench.cli.lazy import mount
from quench_switch.cli.commands import Commands

from quench_experiments.cli import capture_cmd, export_cmd, report_cmd, run_cmd, show_cmd

app = Commands(
    "Run experiments, the papers' or your own, on the simulator; compare with what is published or expected."
)
app.command("list")(show_cmd.list_)
app.command("show")(show_cmd.show)
app.command("run")(run_cmd.run)
app.command("report")(report_cmd.report)
app.command("export")(export_cmd.export)
app.command("capture")(capture_cmd.capture)
mount(app, "compare", "quench_experiments.comparison.cli", "Put the simulation beside ns-2 and beside the kernel.")


@app.callback()
def _root() -> None:
    for name in ("distributed", "matplotlib", "tornado"):
        logging.getLogger(name).setLevel(logging.WARNING)
