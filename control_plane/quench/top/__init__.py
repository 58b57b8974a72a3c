# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench top``: queues, marks and windows in a terminal, and keys that change thresholds; in a pipe, lines.

In: a source of the live feed (``quench.feed``). Out: a screen, or lines; changes. Begin with ``state``, which keeps
the feed's figures, then ``app`` (the screen) and ``lines`` (the pipe).
"""
