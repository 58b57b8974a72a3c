# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Messages when BMv2 is missing or refuses."""

from pathlib import Path

import pytest
from quench_topologies.bmv2 import has_option, installed, run_thrift
from quench_topologies.errors import TopologyError


def client(folder: Path, script: str) -> str:
    path = folder / "simple_switch_CLI"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def test_a_missing_program_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(TopologyError, match="simple_switch_grpc is not on PATH: install BMv2"):
        installed("simple_switch_grpc")


def test_options_that_a_build_lacks_are_not_given(tmp_path: Path) -> None:
    script = client(tmp_path, "echo 'Options: --thrift-port arg, --notifications-addr arg'; exit 1")
    assert has_option(script, "--notifications-addr")
    assert not has_option(script, "--nanolog")


def test_commands_reach_the_client(tmp_path: Path) -> None:
    script = client(tmp_path, f'echo "$@" > {tmp_path}/arguments; cat > {tmp_path}/commands')
    run_thrift(script, 9091, ["set_queue_rate 1233 1", "set_queue_depth 88 1"])
    assert (tmp_path / "arguments").read_text() == "--thrift-port 9091\n"
    assert (tmp_path / "commands").read_text() == "set_queue_rate 1233 1\nset_queue_depth 88 1\n"


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("cat > /dev/null; echo 'RuntimeCmd: Error: Invalid port number'", "Invalid port number"),
        ("cat > /dev/null; echo 'Could not connect' >&2; exit 1", "port 9090: Could not connect"),
        ("cat > /dev/null; exit 3", "status 3"),
    ],
)
def test_a_refused_command_is_an_error(tmp_path: Path, script: str, message: str) -> None:
    with pytest.raises(TopologyError, match=message):
        run_thrift(client(tmp_path, script), 9090, ["set_queue_rate 1 1"])
