# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The control plane of Quench: congestion profiles, ICMP source quench, and the P4Runtime controller."""
