# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Faults that end a command with one line: what, where, what to do."""


class SimulationError(Exception):
    """The simulation can't be run. One line per fault: what, where, what to do."""


class ScenarioError(SimulationError):
    """The scenario can't be used. One line per fault: ``KEY: message``."""


class ComparisonError(Exception):
    """One line that says what, where and what to do."""


class ExperimentError(Exception):
    """One line: what, where, what to do."""


class TuningError(ValueError):
    """One line: what, where, what to do."""
