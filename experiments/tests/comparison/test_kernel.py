# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The demo beside which the simulation is put is ended in an orderly way."""

import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest
from quench.signals import Interrupted, signals_as_exceptions
from quench_experiments.comparison import kernel

DEMO = """#!{python}
import pathlib, signal, sys

def end(number, frame):
    (folder / "taken back").touch()
    sys.exit(1)

folder = pathlib.Path({folder!r})
signal.signal(signal.SIGTERM, end)
(folder / "runs").touch()
signal.pause()
"""
PATIENCE_S = 30.0


def test_an_interrupted_comparison_waits_until_the_demo_has_taken_back_its_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    demo = tmp_path / "quench"
    demo.write_text(DEMO.format(python=sys.executable, folder=str(tmp_path)), encoding="utf-8")
    demo.chmod(0o755)
    monkeypatch.setattr(kernel.sys, "executable", str(tmp_path / "python"))

    def interrupt() -> None:
        patience_ends = time.monotonic() + PATIENCE_S
        while not (tmp_path / "runs").exists() and time.monotonic() < patience_ends:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGTERM)

    # It waits until the demo runs.
    threading.Thread(target=interrupt).start()
    with pytest.raises(Interrupted), signals_as_exceptions():
        kernel.run_demo(8, 60, ["ecn"], tmp_path)

    assert (tmp_path / "taken back").exists()
