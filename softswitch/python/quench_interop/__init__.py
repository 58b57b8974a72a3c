# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Programs, networks and tests of others, run unmodified on the commands that `quench toolchain` writes."""
