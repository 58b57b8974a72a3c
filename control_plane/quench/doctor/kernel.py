# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The running kernel: its version, its type information (BTF) and its options."""

import gzip
import os
import re
from collections.abc import Iterator
from pathlib import Path

from quench.doctor.finding import Finding, State, finding

OLDEST = (5, 14)
"""The hosts' programs use BPF features of this version (docs/hosts.md, Limits)."""
BTF = Path("/sys/kernel/btf/vmlinux")
OPTIONS = {
    "CONFIG_NET_NS": "networks",
    "CONFIG_VETH": "networks",
    "CONFIG_NET_SCH_TBF": "networks",
    "CONFIG_BPF_SYSCALL": "hosts",
    "CONFIG_BPF_JIT": "hosts",
    "CONFIG_NET_SCH_INGRESS": "hosts",
    "CONFIG_NET_CLS_BPF": "hosts",
}
"""Kernel options, and the part that needs each."""
CONFIG_BYTES = 4 << 20
_SET = re.compile(r"^(CONFIG_\w+)=([ym])$", re.MULTILINE)


def findings() -> Iterator[Finding]:
    """Everything about the kernel."""
    release = os.uname().release
    newer = "run a newer kernel, such as Debian 12's"
    yield finding("hosts", "Linux", release if version_of(release) >= OLDEST else None, newer)
    present = str(BTF) if BTF.is_file() else None
    yield finding("hosts", "BTF", present, f"{BTF} is missing: run a kernel with CONFIG_DEBUG_INFO_BTF")
    options = read_options(release)
    for option, part in OPTIONS.items():
        if options is None:
            yield Finding(part, option, State.UNKNOWN, f"neither /proc/config.gz nor /boot/config-{release}")
        else:
            yield finding(part, option, _how(options.get(option)), f"run a kernel that has {option}")


def version_of(release: str) -> tuple[int, int]:
    """The two first numbers of a release, such as 6.1.0-28-amd64; (0, 0) for another text."""
    match = re.match(r"(\d+)\.(\d+)", release)
    return (int(match[1]), int(match[2])) if match else (0, 0)


def read_options(release: str, root: Path = Path("/")) -> dict[str, str] | None:
    """The options of the kernel that are set, ``y`` or ``m``; None where it does not show them."""
    for path in (root / "proc" / "config.gz", root / "boot" / f"config-{release}"):
        try:
            with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
                text = file.read(CONFIG_BYTES).decode(errors="replace")
        except OSError:
            # The next place may have them; a caller sees None if no place has.
            continue
        return dict(_SET.findall(text))
    return None


def _how(setting: str | None) -> str | None:
    return {None: None, "y": "built in", "m": "a module"}[setting]
