# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Queues, marks and windows as they are now: one feed of samples for the web page and the terminal.

Begin with ``model``, which declares samples, events and changes, then ``source``, which says how they are read.
``history`` and ``hub`` keep the newest and give them to readers; ``rates``, ``port_rates`` and ``layout`` make them.
"""
