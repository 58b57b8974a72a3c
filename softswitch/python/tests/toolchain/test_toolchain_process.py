# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The name of a switch's process, by which test runners end it."""

import socket
import subprocess
from pathlib import Path

import pytest
from quench_switch.toolchain import commands

KERNEL_CHARACTERS = 15
"""The number of characters of a name that the kernel keeps, and pkill compares."""


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


def test_digests_are_published_where_the_option_says(tmp_path: Path) -> None:
    commands.write(tmp_path)
    path = tmp_path / "digests.ipc"
    words = ["--no-p4", "--thrift-port", "0", "--log-console", "--notifications-addr", f"ipc://{path}"]
    with subprocess.Popen([tmp_path / "simple_switch", *words], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "Thrift on port" in line:
                break
        second = subprocess.run([tmp_path / "simple_switch", *words], capture_output=True, text=True, check=False)
        with socket.socket(socket.AF_UNIX) as subscriber:
            subscriber.connect(str(path))
            assert subscriber.recv(8) == b"\0SP\0\0\x20\0\0"
        process.terminate()
        process.stdout.read()
    assert process.returncode == 0
    assert not path.exists()
    assert second.returncode == 1
    error = f"simple_switch: notifications cannot be published at ipc://{path}: Address already in use\n"
    assert second.stderr == error
    words[-1] = "inproc://x"
    wrong = subprocess.run([tmp_path / "simple_switch", *words], capture_output=True, text=True, check=False)
    assert wrong.returncode == 1
    assert wrong.stderr == "simple_switch: notifications: inproc://x: write ipc://PATH or tcp://HOST:PORT\n"
