# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Whether this machine lets a network be made and its results be kept, found out before anything is started."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from quench_topologies.errors import TopologyError
from quench_topologies.isolation import may_return_to_own_namespace

PACKAGES = {
    "mnexec": "mininet",
    "ip": "iproute2",
    "tc": "iproute2",
    "ethtool": "ethtool",
    "sysctl": "procps",
    "setpriv": "util-linux",
}
"""Programs that make a network, and Debian's packages of them."""
PROBE_S = 20.0
"""Longest time for a namespace with a pair of interfaces; it takes milliseconds."""
_HOW_TO_GET = "install Debian's package '{}' ('make setup' does)"
_PROBE = ["mnexec", "-n", "ip", "link", "add", "quench0", "type", "veth", "peer", "name", "quench1"]
"""A command that makes an interface as Mininet does for a host. The interfaces end with the namespace."""
_PRIVILEGED = "start the container with all rights (docker run --privileged), or use a virtual machine"


def check_machine() -> None:
    """Raise TopologyError where namespaces or interfaces cannot be made here; it says what to do."""
    for program, package in PACKAGES.items():
        if shutil.which(program) is None:
            raise TopologyError(f"{program} is not on PATH: {_HOW_TO_GET.format(package)}")
    try:
        probe = subprocess.run(_PROBE, capture_output=True, text=True, timeout=PROBE_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise TopologyError(f"'{' '.join(_PROBE)}' did not end within {PROBE_S:g} s") from error
    except OSError as error:
        raise TopologyError(f"mnexec: {error.strerror}: {_HOW_TO_GET.format('mininet')}") from error
    if probe.returncode:
        lines = (probe.stderr or probe.stdout).strip().splitlines()
        raise TopologyError(_mend(lines[-1] if lines else f"status {probe.returncode}"))
    if not may_return_to_own_namespace():
        raise TopologyError(
            "this is root of a user namespace only, which has no right to the machine's network namespace: "
            "run as the machine's root"
        )


def check_folder(option: str, folder: Path) -> None:
    """Raise TopologyError where no files can be made in a folder, which need not exist as yet."""
    place = next(each for each in (folder.absolute(), *folder.absolute().parents) if each.exists())
    try:
        with tempfile.TemporaryFile(dir=place):
            pass
    except OSError as error:
        raise TopologyError(f"{option} {folder}: no files can be made here: {error.strerror}") from error


def _mend(said: str) -> str:
    """A sentence about what mnexec or ip said, which name the call that failed first."""
    if said.startswith("remount:"):
        return (
            f"the root folder is no mount point, so mount namespaces cannot be made ({said}): "
            "before 'chroot DIR', make it one by 'mount --bind DIR DIR'"
        )
    mend = "run as root" if os.geteuid() else _PRIVILEGED
    if said.startswith(("unshare:", "mount:")):
        return f"namespaces cannot be made here ({said}): {mend}"
    if said.startswith("RTNETLINK") and "permitted" not in said:
        return f"pairs of interfaces cannot be made here ({said}): load the kernel's module by 'modprobe veth'"
    return f"pairs of interfaces cannot be made here ({said}): {mend}"
