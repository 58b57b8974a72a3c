# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Every command that the project calls comes with what `make setup` installs, and not by chance."""

import re
import shlex
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[3]
ESSENTIAL = "Debian has it everywhere"
PACKAGES = {
    **dict.fromkeys(("ip", "tc"), "iproute2"),
    **dict.fromkeys(("arp", "ifconfig", "route"), "net-tools"),
    **dict.fromkeys(("ps", "sysctl", "pgrep", "pkill"), "procps"),
    **dict.fromkeys(("cargo", "rustc"), "cargo-web"),
    **dict.fromkeys(("curl", "iperf3", "iptables", "lsof", "nft", "socat", "strace", "tcpdump"), None),
    **dict.fromkeys(("awk", "bash", "env", "nsenter", "setpriv", "sh", "unshare"), ESSENTIAL),
    "bpftool": "bpftool",
    "clang-14": "clang-14",
    "clang-format-14": "clang-format-14",
    "ethtool": "ethtool",
    "g++": "g++",
    "gcc": "gcc",
    "git": "git",
    # The package mininet depends on it.
    "iperf": "mininet",
    "llvm-strip-14": "llvm-14",
    "make": "make",
    "mnexec": "mininet",
    "ping": "iputils-ping",
    "pkg-config": "pkg-config",
}
"""Debian 12's package of each command; None: nothing may depend on it."""

SOURCES = (
    *("topologies", "control_plane", "experiments", "simulator/python", "softswitch/python", "ptf_tests"),
    *("host_stack/tests", "bench"),
)
# The first word of a command as it is written here: in a list or tuple, or as the first argument of a call.
COMMAND = re.compile(r"""(?:\[|\(|\brun\(|"exec", [\w.]+, )\s*"([a-z][a-z0-9+-]*)",\s""")
MAKEFILE_COMMAND = re.compile(
    r"^\t@?(?:\w+=\S+ )*([a-z][a-z0-9+-]*) |:= ([a-z]+(?:-[a-z]+)*(?:-[0-9]+)?)$", re.MULTILINE
)


def installed() -> set[str]:
    """The packages of `make setup`."""
    makefile = (REPOSITORY / "Makefile").read_text().replace("\\\n", " ")
    lists = re.findall(r"^(?:RUST_)?PACKAGES := (.*)$", makefile, re.MULTILINE)
    return {package for each in lists for package in shlex.split(each)}


def called() -> dict[str, str]:
    """Commands that are known above, with a place where each is called."""
    found = {}
    for folder in SOURCES:
        for path in (REPOSITORY / folder).rglob("*.py"):
            if path != Path(__file__):
                for match in COMMAND.finditer(path.read_text()):
                    found[match[1]] = str(path.relative_to(REPOSITORY))
    for path in (REPOSITORY / "Makefile", REPOSITORY / "host_stack" / "Makefile"):
        for match in MAKEFILE_COMMAND.finditer(path.read_text()):
            found[match[1] or match[2]] = str(path.relative_to(REPOSITORY))
    return {command: place for command, place in found.items() if command in PACKAGES}


@pytest.mark.parametrize(("command", "place"), sorted(called().items()))
def test_a_command_comes_with_a_package(command: str, place: str) -> None:
    package = PACKAGES[command]
    assert package is not None, f"{place} calls {command}, which no package of `make setup` brings"
    assert package == ESSENTIAL or package in installed(), f"{place} calls {command}: add {package} to PACKAGES"


def test_the_commands_are_found() -> None:
    assert {"ip", "tc", "sysctl", "ethtool", "mnexec", "setpriv", "gcc", "cargo", "clang-14"} <= set(called())
