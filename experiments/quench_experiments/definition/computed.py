# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Experiments that are computed: control theory by ``quench_experiments.tuning``."""

from collections.abc import Mapping

from quench_experiments.definition.expression import Label
from quench_experiments.definition.model import Computation


def compute(computation: Computation, variables: Mapping[str, Label]) -> dict[str, float]:
    """Metrics of one point: ``delay_margin_s``, ``sensitivity_gain``, ``crossover_rad_per_s``."""
    raise NotImplementedError
