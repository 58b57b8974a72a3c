# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A P4-16 compiler, and a switch for v1model and TNA that loads its output and BMv2's.

``compile_p4`` compiles. ``VirtualSwitch`` runs a program under a clock that the caller advances, ``RealtimeSwitch`` on
Linux interfaces; both take the same control calls. The P4Runtime server and the STF runner stand on them.
``Simulation`` runs a network of routers, hosts and links.

These names come from the native module, which is loaded when the first of them is used.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from quench_switch import _native

    return getattr(_native, name)
