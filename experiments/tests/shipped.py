# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Quench's own experiments: many tests look at each, and large networks take time to load."""

from functools import cache

from quench_experiments.definition import load

shipped = cache(load)
"""An experiment by its key."""
