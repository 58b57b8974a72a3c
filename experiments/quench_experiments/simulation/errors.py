# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""What goes wrong before or in a simulation."""


class SimulationError(Exception):
    """The simulation can't be run. One line per fault: what, where, what to do."""


class ScenarioError(SimulationError):
    """The scenario can't be used. One line per fault: ``where: what is wrong``."""
