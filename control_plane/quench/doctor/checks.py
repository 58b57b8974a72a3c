# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Everything that ``quench doctor`` looks at."""

import os
import platform
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from quench_switch.version import VERSION

from quench.cli.lazy import EXPERIMENTS, how_to_install
from quench.doctor import kernel, probes
from quench.doctor.finding import Finding, finding
from quench.places import HOST_LOADER, INSTALLED, P4_SOURCES, PROGRAM, ROOT, how_to_get
from quench.targets import TNA

PARTS = {
    "basis": "Compiler, switch, controller",
    "experiments": "Simulator and experiments",
    "networks": "Networks, demo, soak",
    "hosts": "TCP of the hosts",
    "others": "Programs of others",
}
"""Parts of Quench, in order, as a reader knows them."""
COMMANDS = {
    "ip": "iproute2",
    "tc": "iproute2",
    "ethtool": "ethtool",
    "sysctl": "procps",
    "ifconfig": "net-tools",
    "mnexec": "mininet",
    "ping": "iputils-ping",
    "setpriv": "util-linux",
}
"""Commands that networks call, with Debian's packages."""
OTHERS = {
    "simple_switch_grpc": "BMv2, for --target bmv2: docs/how-to/bmv2.md",
    "p4c": "p4lang's compiler, for --target bmv2: docs/how-to/bmv2.md",
    "ns": "ns-2, for comparisons: apt-get install ns2",
    "tshark": "Wireshark's command, for captures: apt-get install tshark",
}
"""Programs that some options use, and how to get them."""
SYSTEM_PATH = "/usr/local/sbin:/usr/sbin:/sbin"
"""Debian's folders of administrators' commands, which an ordinary user's PATH lacks."""


def findings() -> Iterator[Finding]:
    """All of them, part by part."""
    found = [*_basis(), *_experiments(), *_networks(), *_hosts(), *kernel.findings(), *_others()]
    for part in PARTS:
        yield from (each for each in found if each.part == part)


def _basis() -> Iterator[Finding]:
    yield finding("basis", "quench", f"{VERSION}, {'installed' if INSTALLED else 'of the repository'} in {ROOT}", "")
    yield finding("basis", "Python", platform.python_version(), "")
    for module in ("quench_switch", "quench_simulator"):
        yield probes.imported("basis", f"{module}._native", how_to_get("native"))
    yield _file("basis", "P4 sources", P4_SOURCES / "quench.p4", "setup")
    yield _file("basis", "compiled P4", PROGRAM, "p4")
    tna = TNA.program
    remedy = f"for --target tna: {how_to_get('p4 TARGET=tna')}"
    yield finding("basis", "compiled P4 for TNA", str(tna) if tna.is_file() else None, remedy, optional=True)


def _experiments() -> Iterator[Finding]:
    for module in ("quench_experiments", *EXPERIMENTS):
        yield _module("experiments", module)


def _networks() -> Iterator[Finding]:
    yield from probes.namespaces()
    for command, package in COMMANDS.items():
        yield finding("networks", command, _command(command), f"apt-get install {package}")
    for module in ("mininet", "quench_topologies"):
        yield _module("networks", module)


def _hosts() -> Iterator[Finding]:
    place = Path(os.environ.get("QUENCH_HOST_LOADER", HOST_LOADER))
    yield _file("hosts", "quench-host", place, "host")


def _others() -> Iterator[Finding]:
    for command, remedy in OTHERS.items():
        yield finding("others", command, _command(command), remedy, optional=True)


def _module(part: str, module: str) -> Finding:
    spec = find_spec(module)
    place = None if spec is None else str(spec.origin or module)
    return finding(part, module, place, how_to_install(module))


def _file(part: str, name: str, path: Path, goals: str) -> Finding:
    return finding(part, name, str(path) if path.is_file() else None, how_to_get(goals))


def _command(name: str) -> str | None:
    return shutil.which(name, path=os.pathsep.join((os.environ.get("PATH", os.defpath), SYSTEM_PATH)))
