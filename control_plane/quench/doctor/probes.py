# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Trials, where nothing else shows it: namespaces are made, and the compiled module is imported."""

import importlib
import os
import subprocess
from collections.abc import Iterator

from quench.doctor.finding import Finding, State, finding

LIMIT_S = 20.0
NAMESPACES = {
    "network namespaces": (
        ("unshare", "--net", "true"),
        "run as root; in a container, with the capabilities SYS_ADMIN and NET_ADMIN (docker run --privileged)",
    ),
    "mount namespaces": (
        ("unshare", "--mount", "true"),
        "run as root on a system whose root is a mount point: a plain chroot is none",
    ),
}
"""A trial of each, and what to do where it fails."""


def namespaces() -> Iterator[Finding]:
    """Whether this process may make the namespaces in which networks run."""
    root = os.geteuid() == 0
    yield finding("networks", "root", "yes" if root else None, "run as root: sudo quench ...")
    for name, (command, remedy) in NAMESPACES.items():
        try:
            done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=LIMIT_S)
        except (OSError, subprocess.TimeoutExpired) as error:
            yield Finding("networks", name, State.MISSING, str(error), remedy)
            continue
        if done.returncode:
            yield Finding("networks", name, State.MISSING, " ".join(done.stderr.split()), remedy)
        else:
            yield Finding("networks", name, State.OK, "can be made")


def imported(part: str, module: str, remedy: str) -> Finding:
    """Whether a module of compiled code can be imported here."""
    try:
        place = importlib.import_module(module).__file__
    except ImportError as error:
        return Finding(part, module, State.MISSING, " ".join(str(error).split()), remedy)
    return Finding(part, module, State.OK, str(place))
