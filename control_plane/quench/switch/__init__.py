# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""One switch as the controller sees it: what is written to it, what comes from it."""
