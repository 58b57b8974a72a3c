# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A sandbox for others' programs: a copy of their files, their commands, and namespaces of their own.

The commands p4c and simple_switch_grpc are Quench's, or those of a folder of tools. The programs start switches on
fixed ports, name interfaces ``s1-eth1`` and end processes by name (``pkill simple_switch``). A process namespace and a
network namespace of their own keep that from all else, and all of it is gone when its first process is.
"""

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from quench_switch.toolchain.commands import write

from quench_interop.terminal import Terminal

OUTPUT_CHARACTERS = 4_000
"""The number of characters at a command's end that are kept for the message about its failure."""
NAMESPACES = (
    "setpriv",
    "--pdeathsig",
    "KILL",
    "unshare",
    "--net",
    "--pid",
    "--mount",
    "--fork",
    "--mount-proc",
    "--kill-child",
)
"""The namespaces end with this process, however it ends."""
SUDO = '#!/bin/sh\nexec env "$@"\n'
"""All of this runs as root, and a machine of root's often has no sudo."""


class InteropError(Exception):
    """One line with the expectation, and the difference from it."""


@dataclass(frozen=True)
class Sandbox:
    """Others' files, and the PATH with which their commands run."""

    folder: Path
    path: str

    def run(
        self, command: Sequence[str], folder: Path, timeout_s: float, prelude: str = "", ignore_status: bool = False
    ) -> str:
        """Run a command to its end in namespaces of its own, after a prelude in shell; its output.

        Raises InteropError when it fails. Some scripts end with the status of a search that finds nothing: of those
        only the output says how they went.
        """
        try:
            done = subprocess.run(
                [*_in_namespaces(prelude), *command],
                cwd=folder,
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                timeout=timeout_s,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise InteropError(f"`{' '.join(command)}` still runs after {timeout_s:g} s") from None
        if done.returncode and not ignore_status:
            last = " | ".join(done.stdout[-OUTPUT_CHARACTERS:].splitlines()[-12:])
            raise InteropError(f"`{' '.join(command)}` ended with {done.returncode}: {last}")
        return done.stdout

    def terminal(self, command: Sequence[str], folder: Path) -> Terminal:
        """Start a command on a terminal, in namespaces of its own."""
        return Terminal([*_in_namespaces(), *command], folder, self._environment())

    def _environment(self) -> dict[str, str]:
        ours = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}}
        return {**ours, "PATH": self.path, "TERM": "dumb", "PYTHONUNBUFFERED": "1"}


def _in_namespaces(prelude: str = "") -> tuple[str, ...]:
    return (*NAMESPACES, "sh", "-ec", f'ip link set lo up\n{prelude}\nexec "$@"', "sh")


@dataclass(frozen=True)
class Example:
    """One of a checkout's programs, and the check of its observable purpose. The check returns what it saw."""

    name: str
    check: Callable[[Sandbox], str]


def make_sandbox(checkout: Path, environment: Path, tools: Path | None, place: Path) -> Sandbox:
    """Copy a checkout below ``place``, and put the commands it needs first on the PATH. Raises InteropError.

    ``environment`` is a Python environment with the packages of the checkout's programs; ``tools`` has p4c and
    simple_switch_grpc; where it is None, those of this package are written.
    """
    if not (environment / "bin" / "python3").exists():
        raise InteropError(f"{environment} is no Python environment: make it as softswitch/docs/tutorials.md says")
    if os.geteuid():
        raise InteropError("Mininet and namespaces need root: run as root")
    copy = place / checkout.name
    shutil.copytree(checkout, copy, ignore=shutil.ignore_patterns(".git"), symlinks=True)
    commands = place / "sudo"
    commands.mkdir()
    (commands / "sudo").write_text(SUDO)
    (commands / "sudo").chmod(0o755)
    if tools is None:
        tools = place / "toolchain"
        write(tools)
    path = os.pathsep.join(map(str, (tools.resolve(), commands, environment.resolve() / "bin", os.environ["PATH"])))
    return Sandbox(copy, path)
