# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A simulation as a source of the live feed (``quench live --simulate``).

In: the name of a network or of an experiment. Out: samples as the feed has them, while somebody watches. Begin with
``source``; ``networks`` finds the scenario, ``view`` shows its layout and its samples, ``pace`` keeps its time to that
of the wall.
"""
