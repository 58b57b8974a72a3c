# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Errors for reasons outside this package."""


class TopologyError(Exception):
    """One line: what, where, what to do."""
