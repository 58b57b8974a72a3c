# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""What the PTF tests stand on: a namespace, a switch in it, a P4Runtime client."""
