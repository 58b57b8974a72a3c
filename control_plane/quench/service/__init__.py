# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The running controller: its switches, its metrics, and the socket by which the command line reaches it."""
