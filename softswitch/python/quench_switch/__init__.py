# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A P4-16 compiler, and a switch that runs its programs for v1model and TNA.

``compile_p4`` makes a program's JSON and P4Info; ``preprocess_p4`` only preprocesses it. The switch also loads the JSON
that p4c makes for BMv2. ``VirtualSwitch`` runs a program under a clock that the caller advances, and ``RealtimeSwitch``
runs it on Linux interfaces; both take the same control calls, those of ``Control``.

All names but ``DataPlaneError`` come from the native module, which is loaded when the first of them is used. The
servers of P4Runtime, Thrift and traces, the STF runner and the commands are Python, in the packages below this one.
"""

from typing import TYPE_CHECKING, Any

from quench_switch.errors import DataPlaneError

if TYPE_CHECKING:
    from quench_switch._native import (
        CompileError,
        CompileOutput,
        Control,
        Program,
        RealtimeSwitch,
        VirtualSwitch,
        compile_p4,
        preprocess_p4,
    )

__all__ = [
    "CompileError",
    "CompileOutput",
    "Control",
    "DataPlaneError",
    "Program",
    "RealtimeSwitch",
    "VirtualSwitch",
    "compile_p4",
    "preprocess_p4",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from quench_switch import _native

    return getattr(_native, name)
