# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""What goes wrong for reasons outside this package."""


class ExperimentError(Exception):
    """One line: what, where, what to do."""
