# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A search for the remains of a campaign on the machine, and for unforeseen errors in the logs."""

import json
import os
import re
import subprocess
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from quench_topologies.errors import TopologyError
from quench_topologies.leftovers import alive, cookies, descendants, enabled_hosts, interfaces, network_namespaces

FAULTS_IN_LOGS = re.compile(r"Traceback|panicked at|was never (?:retrieved|awaited)|Fatal Python error")
"""Beginnings of messages by which Python and Rust end at an error that was not foreseen."""
OUR_BPF_PREFIX = "q_"
SETTLE_S = 5.0
"""The kernel frees BPF objects and namespaces a little later."""


@dataclass(frozen=True, slots=True)
class Machine:
    """State of the machine that a campaign must leave unchanged."""

    bpf_objects: frozenset[str]
    congestion_controls: frozenset[str]
    interfaces: frozenset[str]

    @classmethod
    def now(cls) -> "Machine":
        """The present state. Raises TopologyError."""
        controls = Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text().split()
        return cls(
            frozenset(_bpf_objects()),
            frozenset(name for name in controls if name.startswith(OUR_BPF_PREFIX)),
            frozenset(interfaces()),
        )

    def left_since(self, before: "Machine") -> list[str]:
        """Differences from the state before, one line each."""
        return [
            *(f"a BPF object is left: {name}" for name in sorted(self.bpf_objects - before.bpf_objects)),
            *(
                f"a congestion control is left: {name}"
                for name in sorted(self.congestion_controls - before.congestion_controls)
            ),
            *(f"an interface is left: {name}" for name in sorted(self.interfaces - before.interfaces)),
        ]


@dataclass
class Belongings:
    """Processes and namespaces of the campaign, to be looked for when it is over."""

    pids: set[int] = field(default_factory=set)
    namespaces: set[str] = field(default_factory=set)
    cookies: set[str] = field(default_factory=set)

    def note(self) -> None:
        """Remember all that runs now."""
        started = descendants(os.getpid())
        self.pids |= started
        self.namespaces |= network_namespaces([os.getpid(), *started])
        self.cookies |= cookies(started)

    def left(self, home: str) -> list[str]:
        """Remains, one line each; home is the network namespace that was there before."""
        everyone = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
        namespaces = (self.namespaces - {home}) & network_namespaces(everyone)
        return [
            *(f"a process is left: {pid}" for pid in sorted(alive(self.pids | descendants(os.getpid())))),
            *(f"a network namespace is left: {name}" for name in sorted(namespaces)),
            *(f"quench-host is left in a namespace: {name}" for name in sorted(enabled_hosts() & self.cookies)),
        ]


def left_behind(before: Machine, belongings: Belongings, home: str, place: Path) -> list[str]:
    """Everything that is left when all should be gone; place is the folder of all temporary files."""
    deadline = time.monotonic() + SETTLE_S
    while True:
        files = [f"a file is left: {path}" for path in sorted(place.iterdir()) if not path.name.startswith(".")]
        left = [*belongings.left(home), *Machine.now().left_since(before), *files]
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.1)


def faults_in_logs(logs: Iterable[Path]) -> list[str]:
    """The first line of each log with an error that was not foreseen."""
    found = []
    for log in sorted(logs):
        lines = log.read_text(errors="replace").splitlines()
        wrong = [number for number, line in enumerate(lines) if FAULTS_IN_LOGS.search(line)]
        if wrong:
            more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
            found.append(f"{log.name}, line {wrong[0] + 1}: {lines[wrong[0]].strip()}{more}")
    return found


def _bpf_objects() -> set[str]:
    found = set()
    for kind in ("prog", "map"):
        shown = subprocess.run(["bpftool", "-j", kind, "show"], check=False, capture_output=True, text=True)
        if shown.returncode:
            raise TopologyError(f"'bpftool {kind} show' failed: {shown.stdout.strip()}: run as root")
        for each in json.loads(shown.stdout):
            if str(each.get("name", "")).startswith(OUR_BPF_PREFIX):
                found.add(f"{kind} {each['id']} {each['name']}")
    return found
