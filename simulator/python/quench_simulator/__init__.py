# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The simulator: ``Simulation`` runs a network of routers, hosts and links in virtual time."""

from quench_simulator._native import (
    HOST_IPV6_PREFIX,
    MAX_THREADS,
    Simulation,
    check_source,
    check_stack,
    host_algorithms,
    stack_ip_version,
)

__all__ = [
    "HOST_IPV6_PREFIX",
    "MAX_THREADS",
    "Simulation",
    "check_source",
    "check_stack",
    "host_algorithms",
    "stack_ip_version",
]
