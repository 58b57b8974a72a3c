# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Two profiles of one queue, measured in turns in a running network: ``turns`` measures, ``statistics`` compares."""
