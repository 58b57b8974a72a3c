# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The page of ``quench play``: a P4 program, packets, and what the program does with each, side by side.

``server`` answers the page, ``runner`` runs what it sends in a process with limits of memory and time.
"""
