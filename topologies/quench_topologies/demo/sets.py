# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Sets of schemes whose hosts no kernel has: the simulator runs them, by experiments, with the same P4."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from quench.signals import Interrupted, signals_as_exceptions

from quench_topologies.errors import TopologyError

SETS: Final = {
    "rocev2": ("signals.rocev2-incast", "signals.rocev2-long"),
    "csig": ("signals.csig-bits",),
    "l4s": ("signals.dualpi2",),
}
"""The experiments of each set."""


def set_of(settings: Sequence[str]) -> str | None:
    """The set among the words of ``--set``; None: they are settings. Raises TopologyError."""
    names = [each for each in settings if each in SETS]
    if not names:
        return None
    if len(settings) > 1:
        raise TopologyError(f"--set {names[0]}: it is a set of schemes, beside which there is no other --set")
    return names[0]


def run_set(name: str, out: Path | None) -> int:
    """Simulate the set's experiments and write their report. Returns an exit status.

    ``out`` is the folder of runs and reports; None: that of ``quench experiment``.
    """
    quench = str(Path(sys.executable).with_name("quench"))
    folder = [] if out is None else ["--out", str(out)]
    try:
        for command in ("run", "report"):
            words = [quench, "experiment", command, *SETS[name], "--quick", *folder]
            with signals_as_exceptions(), subprocess.Popen(words) as process:
                try:
                    status = process.wait()
                except BaseException:
                    process.terminate()
                    raise
            if status != 0:
                return status
    except Interrupted as interruption:
        return interruption.exit_status
    return 0
