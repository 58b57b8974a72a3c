# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Programs for TNA in P4Runtime's terms, and the settings of the packet generator."""
