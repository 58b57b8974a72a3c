# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""What can go wrong in a comparison."""


class ComparisonError(Exception):
    """One line that says what, where and what to do."""
