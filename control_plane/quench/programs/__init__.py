# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""P4 programs other than Quench's: a YAML file names the entries of a route, a port and a queue, and the counters.

``description``, ``settings`` and ``templates`` have the file's keys, ``entities`` makes P4Runtime entities of them and
``program`` those of a whole switch, ``clones`` finds sessions that nobody makes, ``load`` reads and compiles. The
simulator, the controller and the networks take a program by these alone. docs/how-to/add-an-aqm.md goes step by step.
"""

from quench.programs.load import load_program
from quench.programs.program import SwitchProgram
from quench.programs.settings import QueueSettings

__all__ = ["QueueSettings", "SwitchProgram", "load_program"]
