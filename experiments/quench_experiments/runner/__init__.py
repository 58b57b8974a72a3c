# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs of experiments: a plan, the places where they run, and a cache.

In: a plan of runs and a folder. Out: a result file for each run. Begin with ``plan``, then ``session``; ``processes``
and ``cluster`` are the places where a run happens, ``cache`` finds finished runs.
"""
