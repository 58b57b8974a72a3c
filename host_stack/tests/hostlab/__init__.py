# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Quench Authors
"""A laboratory of two hosts on a wire: namespaces, packets, transfers and quench-host."""
