# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The embedded P4 target: a P4-16 compiler and a v1model switch that loads its output and BMv2's.

``VirtualSwitch`` runs a program under a clock that the caller advances, ``RealtimeSwitch`` on Linux
interfaces; both take the same control calls. The P4Runtime server and the STF runner stand on them.
``Simulation`` runs a network of routers, hosts and links.
"""

from quench_switch._native import (
    CompileError,
    CompileOutput,
    DataPlaneError,
    Program,
    RealtimeSwitch,
    Simulation,
    VirtualSwitch,
    compile_p4,
    host_algorithms,
    preprocess_p4,
)

__all__ = [
    "CompileError",
    "CompileOutput",
    "DataPlaneError",
    "Program",
    "RealtimeSwitch",
    "Simulation",
    "VirtualSwitch",
    "compile_p4",
    "host_algorithms",
    "preprocess_p4",
]
