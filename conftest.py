# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Of all Python tests: a busy machine fails no test of a property, and the same examples are tried each time."""

from hypothesis import settings

settings.register_profile("quench", deadline=None, derandomize=True)
settings.load_profile("quench")
