# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The machine: things that each part of Quench needs, found or missing.

Begin with ``finding`` (a line of the result), then ``checks``, which has all of them. ``kernel`` reads the
running kernel's version and options, ``probes`` tries what only a trial shows.
"""
