# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The compiled P4 program and the other things that have to be built before a network can start."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from quench_topologies.errors import TopologyError

CPU_PORT = 510
"""As in p4src/include/common/types.p4."""

_REPOSITORY = Path(__file__).resolve().parents[2]
_HOST_LOADER = _REPOSITORY / "build" / "host" / "quench-host"
_PROGRAMS = {"embedded": _REPOSITORY / "build", "bmv2": _REPOSITORY / "build" / "bmv2"}


@dataclass(frozen=True, slots=True)
class Program:
    """The compiler's output files."""

    json: Path
    p4info: Path


def find_program(directory: Path | None, target: str) -> Program:
    """quench.json and quench.p4info.txtpb of a folder, or of the target's own one. Raises TopologyError."""
    folder = (directory or _PROGRAMS.get(target, _PROGRAMS["embedded"])).resolve()
    program = Program(folder / "quench.json", folder / "quench.p4info.txtpb")
    for path in (program.json, program.p4info):
        if not path.is_file():
            raise TopologyError(f"{path}: the P4 program is not compiled: run 'make p4 TARGET={target}'")
    return program


def find_host_loader() -> Path:
    """The program quench-host. Raises TopologyError."""
    path = Path(os.environ.get("QUENCH_HOST_LOADER", _HOST_LOADER))
    if not path.is_file():
        raise TopologyError(f"{path}: the host stack is not built: run 'make -C host_stack'")
    return path


def find_quench() -> Path:
    """The command line of the environment that this runs in. Raises TopologyError."""
    path = Path(sys.executable).with_name("quench")
    if not path.is_file():
        raise TopologyError(f"{path}: the command line is not installed: run 'pip install -e control_plane'")
    return path
