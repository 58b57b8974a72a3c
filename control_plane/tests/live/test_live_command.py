# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench live`` as a command: its address and token, its end, and what it refuses."""

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from quench.cli.live_cmd import app
from quench.errors import ControllerError
from quench.http_server import listening_socket
from quench.live.listen import is_local, new_token, page_address, page_url
from typer.testing import CliRunner

QUENCH = str(Path(sys.executable).with_name("quench"))
TIMEOUT_S = 60
TOKEN = "a-token-of-the-test"
SOURCE = ["--address", "127.0.0.1:1", "--device-id", "0"]
"""A switch that is away: the page waits for it."""


def start(*arguments: str, **options: Any) -> "subprocess.Popen[str]":
    command = [QUENCH, "live", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def test_it_prints_the_address_with_a_token_and_ends_with_ctrl_c() -> None:
    process = start(*SOURCE, "--listen", "127.0.0.1:0")
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.fullmatch(r"Open (http://127\.0\.0\.1:[0-9]+)/#token=[\w-]{43}\n", line)
        assert found, line
        with urlopen(f"{found[1]}/", timeout=TIMEOUT_S) as page:
            assert page.status == 200
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=TIMEOUT_S)
        assert (process.returncode, error) == (0, "")
    finally:
        process.kill()
        process.wait()


def test_another_program_can_give_the_socket_and_the_token() -> None:
    ready, told = os.pipe()
    with listening_socket("127.0.0.1:0") as listener, os.fdopen(ready) as answers:
        fds = (listener.fileno(), told)
        options = ["--listen-fd", str(fds[0]), "--ready-fd", str(fds[1]), *SOURCE]
        process = start(*options, pass_fds=fds, env={**os.environ, "QUENCH_LIVE_TOKEN": TOKEN})
        try:
            os.close(told)
            assert answers.readline() == f"{page_url(listener, TOKEN)}\n"
            with urlopen(page_url(listener, TOKEN), timeout=TIMEOUT_S) as page:
                assert page.status == 200
        finally:
            process.terminate()
            output, _ = process.communicate(timeout=TIMEOUT_S)
        assert output == "", "the other program prints the address"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([*SOURCE, "--listen", "8088"], "--listen: '8088' is not HOST:PORT"),
        ([*SOURCE, "--listen", "192.0.2.1:80"], "192.0.2.1:80: cannot listen here"),
        (["result", *SOURCE], "give RESULT, --address or --simulate"),
        ([*SOURCE, "--rate", "10"], "--rate: "),
        (["--scheme", "ecn"], "--scheme and --seed belong to --simulate"),
        (["--simulate", "n1", *SOURCE], "give RESULT, --address or --simulate"),
        (["--socket", "/nowhere/ctl.sock"], "/nowhere/ctl.sock: no controller answers"),
    ],
)
def test_what_it_refuses_is_one_line(arguments: list[str], sentence: str) -> None:
    error = str(CliRunner().invoke(app, arguments).exception)
    assert error.startswith(sentence)
    assert "\n" not in error


def test_a_file_is_no_listening_socket(tmp_path: Path) -> None:
    with (tmp_path / "file").open("w") as file:
        result = CliRunner().invoke(app, [*SOURCE, "--listen-fd", str(file.fileno())])
        assert str(result.exception).startswith(f"--listen-fd {file.fileno()}: it is no socket")


def test_an_address_that_is_taken_says_what_to_do() -> None:
    with listening_socket("127.0.0.1:0") as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(ControllerError, match=r"Address already in use.*or port 0 for any that is free"):
            listening_socket(address)


@pytest.mark.parametrize("address", ["127.0.0.1:0", "[::1]:0", "localhost:0"])
def test_loopback_is_local(address: str) -> None:
    if "::" in address and not socket.has_ipv6:
        pytest.skip("this machine has no IPv6")
    assert page_address(address) == address
    with listening_socket(address) as listener:
        assert is_local(listener)
        token = new_token()
        assert page_url(listener, token).endswith(f":{listener.getsockname()[1]}/#token={token}")


def test_all_addresses_are_not_local() -> None:
    with listening_socket("0.0.0.0:0") as listener:
        assert not is_local(listener)


@pytest.mark.parametrize("text", ["", ":0", "127.0.0.1", "127.0.0.1:65536", "a b\n:1"])
def test_other_texts_are_no_address(text: str) -> None:
    with pytest.raises(ValueError, match="is not HOST:PORT"):
        page_address(text)
