# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Experiments that are computed: control theory by ``quench_experiments.tuning``."""

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field

from quench_experiments.definition.expression import Label
from quench_experiments.definition.model import Computation
from quench_experiments.definition.quantity import Time
from quench_experiments.definition.substitution import substitute
from quench_experiments.tuning.loop import crossover_rad_s, delay_margin_s, sensitivity_gain

MOST = 1e9
"""Of a gain or a frequency, so that its square is a number too."""


class Tradeoff(BaseModel):
    """Figure 3 of Durresi et al.: one point, all swept values filled in."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str
    k0: float = Field(gt=0, le=MOST)
    rtt: Time = Field(gt=0)
    pole: float = Field(gt=0, le=MOST)
    k_mecn: float = Field(gt=1, le=MOST)
    """A loop with a gain of 1 or less never crosses it."""


def point(computation: Computation, variables: Mapping[str, Label]) -> Tradeoff:
    """The point's values. Raises SubstitutionError and pydantic.ValidationError."""
    return Tradeoff.model_validate(substitute(computation.model_dump(), variables, ("computation",)))


def compute(computation: Computation, variables: Mapping[str, Label]) -> dict[str, float]:
    """Metrics of one point: ``delay_margin_s``, ``sensitivity_gain``, ``crossover_rad_per_s``."""
    values = point(computation, variables)
    return {
        "delay_margin_s": delay_margin_s(values.k_mecn, values.pole, values.rtt),
        "sensitivity_gain": sensitivity_gain(values.k_mecn, values.k0),
        "crossover_rad_per_s": crossover_rad_s(values.k_mecn, values.pole),
    }
