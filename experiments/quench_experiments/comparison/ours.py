# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs our simulator on a case."""

from quench_experiments.comparison.cases import Case
from quench_experiments.comparison.outcome import Outcome


def run(case: Case, seed: int, mark_at: str = "tail") -> Outcome:
    """One run of ours."""
    raise NotImplementedError
