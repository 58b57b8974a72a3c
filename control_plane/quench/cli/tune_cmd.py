# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench tune``: hands over to the experiments' package."""

import typer

from quench.cli.experiment_cmd import hand_over


def tune(context: typer.Context) -> None:
    """Recommend thresholds for a load, a capacity and a round trip, by control theory."""
    hand_over("tune", "quench_experiments.tuning.cli", context.args)
