# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Settings of all Python tests: a busy machine fails no test of a property. Examples are new in every run.

A failure prints how to repeat it; ``make test`` prints its seed, and ``QUENCH_TEST_SEED`` repeats a whole run.
"""

import os
import signal
from pathlib import Path
from typing import Any

from hypothesis import settings

settings.register_profile("quench", deadline=None, print_blob=True)
settings.load_profile("quench")

SHORT_S = 0.5
"""Tests that take less are in no list."""

# A shell lets what it starts in the background ignore SIGINT, children included; tests interrupt both.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_terminal_summary(terminalreporter: Any, config: Any) -> None:
    """Hand the times of the longer tests to ``make test``, which lists the slowest of all suites."""
    folder = os.environ.get("QUENCH_TEST_TIMES")
    # The process that hands tests out has the reports of those that run them.
    if folder is None or hasattr(config, "workerinput"):
        return
    seconds: dict[str, float] = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            if hasattr(report, "duration") and hasattr(report, "nodeid"):
                seconds[report.nodeid] = seconds.get(report.nodeid, 0) + report.duration
    lines = [f"{each:.1f} s {name}\n" for name, each in seconds.items() if each >= SHORT_S]
    Path(folder, f"tests-{os.getpid()}").write_text("".join(lines), encoding="utf-8")
