# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The papers' networks, each as a plan with its load. Begin with ``catalogue``."""
