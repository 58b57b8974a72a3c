# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The commands of ``python -m quench_topologies`` before they start a network."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from quench.profiles.settings import NAMED_SCHEMES, scheme_of
from quench_switch import host_algorithms
from quench_topologies.catalogue import TOPOLOGIES
from quench_topologies.cli import app
from typer.testing import CliRunner

TIMEOUT_S = 60
"""Against a hang."""


def test_ctrl_c_while_modules_are_imported_is_no_traceback(tmp_path: Path) -> None:
    """A module that never ends stands for a machine that is slow."""
    (tmp_path / "typer.py").write_text("import sys, time\nprint('here', flush=True)\ntime.sleep(60)\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-m", "quench_topologies", "--help"]
    with subprocess.Popen(
        command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as topologies:
        assert topologies.stdout is not None
        assert topologies.stdout.readline() == "here\n"
        topologies.send_signal(signal.SIGINT)
        assert topologies.communicate(timeout=TIMEOUT_S) == ("", "")
    assert topologies.returncode == -signal.SIGINT


def test_each_topology_is_a_command_with_the_scheme_of_its_paper() -> None:
    for name, topology in TOPOLOGIES.items():
        result = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "200"})
        assert result.exit_code == 0, result.output
        assert f"[default: {topology.scheme}]" in result.output


@pytest.mark.parametrize("name", TOPOLOGIES)
@pytest.mark.parametrize("scheme", NAMED_SCHEMES)
def test_each_topology_has_thresholds_for_each_scheme(name: str, scheme: str) -> None:
    assert TOPOLOGIES[name].thresholds.profile(scheme)["scheme"] == scheme


def test_the_hosts_of_each_scheme_have_its_algorithm() -> None:
    algorithms = host_algorithms()
    for scheme in NAMED_SCHEMES:
        declared = scheme_of(scheme)
        assert declared.host_algorithm in algorithms, scheme
        assert algorithms[declared.host_algorithm] == declared.sends_isqs, scheme
