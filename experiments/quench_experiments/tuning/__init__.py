# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Control theory for thresholds: whether a setting is stable under a load, and which one is (docs/tuning.md).

In: a load and a setting, or only a load. Out: operating point and delay margin, or a recommended setting. Begin with
``operating`` (where the queue settles), then ``loop`` and ``analysis``; ``recommend`` searches. ``cli.tune_cmd``
is ``quench tune``.
"""

from quench_experiments.errors import TuningError
from quench_experiments.tuning.analysis import Analysis, StableRange, analyse, delay_margins, stable_range
from quench_experiments.tuning.loop import (
    Loop,
    averaging_rad_s,
    crossover_rad_s,
    delay_margin_s,
    largest_gain,
    sensitivity_gain,
)
from quench_experiments.tuning.marking import Marking
from quench_experiments.tuning.operating import Load, OperatingPoint, operating_point
from quench_experiments.tuning.recommend import Recommendation, recommend

__all__ = [
    "Analysis",
    "Load",
    "Loop",
    "Marking",
    "OperatingPoint",
    "Recommendation",
    "StableRange",
    "TuningError",
    "analyse",
    "averaging_rad_s",
    "crossover_rad_s",
    "delay_margin_s",
    "delay_margins",
    "largest_gain",
    "operating_point",
    "recommend",
    "sensitivity_gain",
    "stable_range",
]
