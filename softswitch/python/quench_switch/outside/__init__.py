# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The input from outside, with limits: files, quantities, text, and the peers of connections.

Nothing here needs the native module or another part of the package.
"""
