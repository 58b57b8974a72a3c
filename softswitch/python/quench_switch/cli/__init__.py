# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The command ``quench-switch``. Begin with ``app``, which names the module of each command."""
