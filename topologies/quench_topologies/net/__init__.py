# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench net``: a network with Mininet's command line, and load, captures, metrics and the live page beside it."""
