# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Quench's networks on one machine: Mininet hosts, P4 switches, the controller, and the demo."""
