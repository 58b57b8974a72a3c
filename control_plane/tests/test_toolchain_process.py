# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The name of a switch's process, by which test runners end it."""

import socket
import subprocess
from pathlib import Path

import pytest
from quench.toolchain import commands

KERNEL_CHARACTERS = 15
"""So much of a name the kernel keeps, and pkill compares."""


@pytest.mark.parametrize("name", ["simple_switch", "simple_switch_grpc"])
def test_a_switch_is_found_by_the_name_of_its_command(tmp_path: Path, name: str) -> None:
    commands.write(tmp_path)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    words = ["--no-p4", "--thrift-port", port, "--log-console"]
    if name == "simple_switch_grpc":
        words += ["--grpc-server-addr", "127.0.0.1:0"]
    with subprocess.Popen([tmp_path / name, *words], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "Thrift on port" in line:
                break
        found = Path(f"/proc/{process.pid}/comm").read_text().strip()
        process.terminate()
        process.stdout.read()
    assert found == name[:KERNEL_CHARACTERS]
