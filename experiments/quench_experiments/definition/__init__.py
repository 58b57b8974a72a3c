# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The papers' experiments as data: their runs, the papers' results, and how our results compare.

No experiment has code of its own: docs/experiments.md describes the YAML files of ``experiments/papers``.

In: a YAML file. Out: an ``Experiment``: its runs as scenarios, and verdicts from their results. Begin with ``model``
(the keys of a file), then ``experiment``, ``setup`` (one point of a sweep) and ``verdict``.
"""

from quench_experiments.definition.experiment import Experiment, Results, Run
from quench_experiments.definition.figures import CurveData, FigureData, figure_data
from quench_experiments.definition.load import load
from quench_experiments.definition.model import Quote
from quench_experiments.definition.quoted import NS2, QuotedPoint
from quench_experiments.definition.verdict import Verdict, evaluate
from quench_experiments.known import keys

__all__ = [
    "NS2",
    "CurveData",
    "Experiment",
    "FigureData",
    "Quote",
    "QuotedPoint",
    "Results",
    "Run",
    "Verdict",
    "evaluate",
    "figure_data",
    "keys",
    "load",
]
