# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The live page: ``sources`` of the feed (a controller, a switch, a recording), and the server that shows one.

Begin with ``server``; its files for the browser are in ``page``.
"""

LEAST_SPEED, MOST_SPEED = 0.1, 100.0
"""Seconds of a recording that are played back in a second."""
