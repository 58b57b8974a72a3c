# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""What a load or a setting cannot be tuned for."""


class TuningError(ValueError):
    """One line: what, where, what to do."""
