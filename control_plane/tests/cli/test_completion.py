# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Shells ask what may come next on a line."""

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from quench.cli import completed as completed_values

QUENCH = Path(sys.executable).with_name("quench")
TIMEOUT_S = 60


def run(*command: str, **variables: str) -> str:
    environment = {**os.environ, "PATH": f"{QUENCH.parent}:{os.environ['PATH']}", **variables}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment, timeout=TIMEOUT_S)
    assert done.stderr == ""
    return done.stdout


def completed(*words: str) -> list[str]:
    """The words that bash offers for the last word."""
    ask = 'source <(quench completion bash); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
    ask += '_quench_completion quench; printf "%s\\n" "${COMPREPLY[@]}"'
    return run("bash", "--norc", "-c", ask, "bash", "quench", *words).split()


def test_bash_completes_commands() -> None:
    assert completed("experi") == ["experiment"]
    assert {"doctor", "demo", "switch", "thresholds"} <= set(completed(""))


def test_bash_completes_what_is_imported_only_for_it() -> None:
    assert completed("experiment", "re") == ["report"]
    assert completed("experiment", "run", "--qui") == ["--quick"]
    assert completed("stf", "--interp") == ["--interpreted"]
    assert completed("compile", "--arch", "t") == ["tna"]
    assert completed("net", "n1", "--target", "") == ["embedded", "bmv2", "tna"]
    assert completed("demo", "--target", "t") == ["tna"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_other_shells_ask_in_their_way(shell: str) -> None:
    variables = {"_TYPER_COMPLETE_ARGS": "quench experi", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    assert "experiment" in run(str(QUENCH), _QUENCH_COMPLETE=f"complete_{shell}", **variables)
    script = run(str(QUENCH), "completion", shell)
    assert f"_QUENCH_COMPLETE=complete_{shell}" in script


def test_bash_completes_schemes_topologies_experiments_and_files(tmp_path: Path) -> None:
    assert {"red", "mecn", "curve:"} <= set(completed("demo", "--scheme", ""))
    assert completed("demo", "--scheme", "red,ecn-m") == ["red,ecn-mod"]
    assert completed("demo", "--topology", "") == ["n1", "n2", "mp", "g3", "vw"]
    assert set(completed("net", "vw", "--scheduler", "s")) == {"scfq", "strict"}
    assert completed("thresholds", "set", "s1", "--scheme", "ta") == ["taildrop"]
    assert completed("experiment", "show", "P1.A") == ["P1.A"]
    for name in ("a.yaml", "a.json", "b.yml"):
        (tmp_path / name).touch()
    (tmp_path / "more").mkdir()
    offered = completed("profile", "show", f"{tmp_path}/")
    assert offered == [f"{tmp_path}/{name}" for name in ("a.yaml", "b.yml", "more/")]
    assert completed("demo", "--scheme", f"curve:{tmp_path}/a") == [f"curve:{tmp_path}/a.yaml"]


class Line:
    """Stands for the line as typer knows it when it asks for a value."""

    def __init__(self, **params: object) -> None:
        self.params = params


@contextmanager
def answering(path: Path, answer: bytes | None) -> Iterator[None]:
    """A socket that gives every client the same answer; None: it never answers."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()
        held: list[socket.socket] = []

        def serve() -> None:
            while True:
                try:
                    client, _ = server.accept()
                except OSError:
                    return
                held.append(client)
                if answer is not None:
                    with suppress(OSError):
                        client.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()
            for client in held:
                client.close()


ROWS = [
    {"switch": "s1", "port": 1, "queue": 0},
    {"switch": "s1", "port": 10, "queue": 0},
    {"switch": "s2", "port": 2, "queue": 0},
    {"switch": "s2", "port": 2, "queue": 1},
]


def test_switches_ports_and_queues_are_the_running_controllers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(completed_values, "TIMEOUT_S", 30.0)
    path = tmp_path / "ctl.sock"
    with answering(path, json.dumps({"result": ROWS}).encode() + b"\n"):
        assert completed_values.switches(Line(socket=path), "") == ["s1", "s2"]
        assert completed_values.ports(Line(socket=path), "") == ["1", "2", "10"]
        assert completed_values.ports(Line(socket=path, switch="s1"), "1") == ["1", "10"]
        assert completed_values.queues(Line(socket=path, switch="s2", port=2), "") == ["0", "1"]


@pytest.mark.parametrize(
    "answer",
    [
        None,
        b"no JSON\n",
        b"[]\n",
        b'{"result": {"switch": 7}}\n',
        b'{"result": [7, {"switch": ["s1"]}]}\n',
        b'{"result": [{"switch": "s1"}]}\n',
        b'{"error": "no"}\n',
        b"[" * 100_000 + b"\n",
        b"x" * (completed_values.MAX_ANSWER_BYTES + 2),
        b"",
    ],
)
def test_what_is_no_controller_offers_nothing(tmp_path: Path, answer: bytes | None) -> None:
    path = tmp_path / "ctl.sock"
    with answering(path, answer):
        assert completed_values.switches(Line(socket=path), "") == []
    assert completed_values.ports(Line(socket=tmp_path / "absent"), "") == []


def test_a_hostile_name_commands_no_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(completed_values, "TIMEOUT_S", 30.0)
    path = tmp_path / "ctl.sock"
    rows = [{"switch": "\x1b[2J", "port": "1\x07", "queue": 0}]
    with answering(path, json.dumps({"result": rows}).encode() + b"\n"):
        assert all(each.isprintable() for each in completed_values.switches(Line(socket=path), ""))
        assert all(each.isprintable() for each in completed_values.ports(Line(socket=path), ""))
