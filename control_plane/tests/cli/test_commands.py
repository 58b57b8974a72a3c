# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Every command: errors of one line, whole output, and an exit status that a script understands."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from quench.cli.app import main
from quench_switch.cli.output import MAX_LINE

MAIN = [sys.executable, "-c", "from quench.cli.app import main; main()"]
SHOW = ["profile", "show", "--scheme", "red", "--minth", "15KB", "--maxth", "45KB"]
TIMEOUT_S = 60
BUILD = Path(__file__).resolve().parents[3] / "build"


def run(*arguments: str, **streams: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*MAIN, *arguments], check=False, text=True, timeout=TIMEOUT_S, **streams)


@pytest.mark.parametrize("arguments", [SHOW, ["--help"]], ids=["table", "help"])
def test_a_full_disk_behind_stdout_is_one_line(arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = run(*arguments, stdout=full, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (1, "quench: No space left on device\n")


def test_a_reader_that_has_seen_enough_is_no_fault() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = run(*SHOW, "--json", stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, "")


def test_commands_work_without_stdin_stdout_and_stderr() -> None:
    for closed, status in (("<&- >&- 2>&-", 0), (">&-", 0)):
        words = " ".join(f"'{word}'" for word in [*MAIN, *SHOW])
        done = subprocess.run(["sh", "-c", f"{words} {closed}"], check=False, capture_output=True, timeout=TIMEOUT_S)
        assert done.returncode == status, closed
        assert b"Traceback" not in done.stderr


def test_a_terminal_without_unicode_gets_what_it_can_show() -> None:
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = run(*SHOW, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii()


def refusal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The stderr of a command that ends with status 1."""
    monkeypatch.setattr(sys, "argv", ["quench", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr()
    assert ended.value.code == 1
    return said.err


@pytest.mark.parametrize("kind", ["fifo", "device", "folder"])
def test_a_file_that_is_none_is_refused_at_once_by_every_command_that_reads_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    path = tmp_path / "x.yaml"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir()
    for arguments in (
        ["profile", "show", str(path)],
        ["controller", "check", str(path)],
        ["controller", "run", str(path)],
        ["thresholds", "set", "s1", "--port", "1", "--file", str(path)],
    ):
        error = refusal(monkeypatch, capsys, *arguments)
        assert error.startswith(f"quench: {path}: cannot be read: ")
        assert error.count("\n") == 1


def test_a_pipeline_that_is_no_file_is_refused_when_the_controller_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(tmp_path / "fifo")
    config = tmp_path / "net.yaml"
    for named, reason in (("fifo", "is no regular file"), ('"a\\0b"', "no text"), ("absent", "is missing")):
        config.write_text(
            f"switches: [{{name: s1, address: 'a:1', router_address: 1.1.1.1, pipeline: {{p4info: {named}, json: x}}}}]"
        )
        error = refusal(monkeypatch, capsys, "controller", "run", str(config))
        assert reason in error
        assert error.count("\n") == 1
        assert error.strip().isprintable()


HOSTILE = "\x1b[2J\x07\u202e[/red]"


@pytest.mark.parametrize("name", [HOSTILE, "a\nb", "", "n" * 101])
def test_names_that_cannot_be_shown_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    path = tmp_path / "net.yaml"
    path.write_text(json.dumps({"profiles": {name: {"scheme": "taildrop"}}}))
    error = refusal(monkeypatch, capsys, "profile", "show", str(path))
    assert error.strip().isprintable()
    assert error.startswith(f"quench: {path}:1:")


def test_a_pipeline_of_another_program_is_refused_when_the_controller_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config, info = tmp_path / "net.yaml", tmp_path / "x.p4info.txtpb"
    info.write_text("")
    config.write_text(
        "switches: [{name: s1, address: 'a:1', router_address: 1.1.1.1, pipeline: {p4info: x.p4info.txtpb, json: "
        f"{BUILD}/quench.json}}}}]"
    )
    error = refusal(monkeypatch, capsys, "controller", "run", str(config))
    assert error.startswith(f"quench: {info}: pipeline of switch 's1': it is not Quench's program: ")
    assert error.count("\n") == 1


def test_a_name_is_neither_markup_nor_formula(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "net.yaml"
    name = "[/red] $\\frac{"
    path.write_text(json.dumps({"profiles": {name: {"scheme": "red", "minth": "5pkts", "maxth": "15pkts"}}}))
    for arguments in (["show", str(path)], ["plot", str(path), "-o", str(tmp_path / "x.svg")]):
        monkeypatch.setattr(sys, "argv", ["quench", "profile", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 0


def test_an_error_is_cut_where_it_quotes_a_whole_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    error = refusal(monkeypatch, capsys, *SHOW, "--rows", "--rate", "x" * 100_000)
    assert len(error) <= MAX_LINE + len("...\n")


def test_an_argument_that_is_no_text_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "x.p4"
    source.write_text("const bit<8> x = 1;\n")
    done = run("compile", str(source), "-o", str(tmp_path), "-D\udce9", capture_output=True)
    assert (done.returncode, done.stderr) == (1, "quench: '\\udce9' is not UTF-8 text\n")


@pytest.mark.parametrize("number", ["-1", "18446744073709551616"])
def test_a_device_id_that_p4runtime_has_no_room_for_is_refused(number: str) -> None:
    done = run("thresholds", "set", "s1", "--port=1", *SHOW[2:], f"--device-id={number}", capture_output=True)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


# ---- Answers at the controller's socket


@contextmanager
def answering(path: Path, answer: bytes) -> Iterator[None]:
    """A socket that gives the same answer to every request."""
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(path))
    server.listen()

    def serve() -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                connection.recv(1 << 16)
                connection.sendall(answer)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield
    finally:
        server.shutdown(socket.SHUT_RDWR)
        server.close()
        thread.join()


COMMANDS = (
    ["stats"],
    ["isq", "show"],
    ["isq", "set", "--mode", "off"],
    ["thresholds", "show"],
    ["thresholds", "watch", "s1", "--count", "1"],
    ["thresholds", "set", "s1", "--port", "1", *SHOW[2:]],
)


@pytest.mark.parametrize("result", [7, [7], [{}], {"x": HOSTILE}, [{"switch": HOSTILE, "port": HOSTILE}], HOSTILE])
def test_an_answer_that_is_no_controllers_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], result: object
) -> None:
    path = tmp_path / "socket"
    with answering(path, json.dumps({"result": result}).encode() + b"\n"):
        for command in COMMANDS:
            error = refusal(monkeypatch, capsys, *command, "--socket", str(path))
            assert error == f"quench: {path}: the answer is no controller's: is this a controller's socket?\n"


def test_an_answer_cannot_command_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "socket"
    with answering(path, json.dumps({"error": HOSTILE}).encode() + b"\n"):
        assert refusal(monkeypatch, capsys, "stats", "--socket", str(path)).strip().isprintable()
    path = tmp_path / "other"
    row = {"switch": HOSTILE, "mode": HOSTILE, "per_queue": None, "connected": True}
    with answering(path, json.dumps({"result": [row]}).encode() + b"\n"):
        monkeypatch.setattr(sys, "argv", ["quench", "isq", "show", "--socket", str(path)])
        with pytest.raises(SystemExit) as ended:
            main()
    assert ended.value.code == 0
    assert capsys.readouterr().out.replace("\n", "").isprintable()


PORT_COUNTERS = ("seen", "marked", "dropped_early", "dropped_forced", "cloned")
ISQ_COUNTERS = ("sent", "limited", "ipv6", "once_per_path", "refused")


def test_tables_are_whole_where_no_terminal_cuts_them(tmp_path: Path) -> None:
    names = [f"port_{name}" for name in PORT_COUNTERS] + [f"port_isq_{name}" for name in ISQ_COUNTERS]
    counters = {name: {"packets": 10**15 + place, "bytes": 0} for place, name in enumerate(names)}
    counts: dict[str, dict[str, int]] = {
        name: {} for name in ("packet_ins", "isqs_sent", "isqs_limited", "isqs_refused")
    }
    row = {"switch": "s1", "connected": True, "ports": {"1": counters}, "queues": [], **counts}
    path = tmp_path / "socket"
    with answering(path, json.dumps({"result": [row]}).encode() + b"\n"):
        done = run("stats", "--socket", str(path), capture_output=True)
    for place in range(len(names)):
        assert str(10**15 + place) in done.stdout
    assert "dropped forced" in done.stdout


@pytest.mark.parametrize(
    ("interval", "what"),
    [("0.5", "'0.5' has no unit: write it as 40ms or 1.5s"), ("1ms", "1ms is too short: 100ms is the least")],
)
def test_an_interval_is_a_time_of_100_ms_or_more(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], interval: str, what: str
) -> None:
    error = refusal(monkeypatch, capsys, "thresholds", "watch", "s1", "--interval", interval)
    assert error == f"quench: --interval: {what}\n"


# ---- Signals


def test_ctrl_c_while_modules_are_imported_is_no_traceback(tmp_path: Path) -> None:
    """A module that never ends stands for a machine that is slow."""
    (tmp_path / "typer.py").write_text("import sys, time\nprint('here', flush=True)\ntime.sleep(60)\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-c", "from quench.cli.entry import main; main()"]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=environment, text=True, **streams) as quench:  # type: ignore[call-overload]
        assert quench.stdout.readline() == "here\n"
        quench.send_signal(signal.SIGINT)
        assert quench.communicate(timeout=TIMEOUT_S) == ("", "")
    assert quench.returncode == -signal.SIGINT


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_a_signal_ends_a_controller_in_order(tmp_path: Path, number: signal.Signals) -> None:
    config, path = tmp_path / "net.yaml", tmp_path / "socket"
    config.write_text(
        "switches: [{name: s1, address: '127.0.0.1:1', router_address: 1.1.1.1, "
        f"pipeline: {{p4info: {BUILD}/quench.p4info.txtpb, json: {BUILD}/quench.json}}}}]"
    )
    command = [*MAIN, "controller", "run", str(config), "--socket", str(path)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as controller:
        assert controller.stderr is not None
        while "listening on" not in (line := controller.stderr.readline()):
            assert line
        controller.send_signal(number)
        _, log = controller.communicate(timeout=TIMEOUT_S)
    assert controller.returncode == 0
    assert "Traceback" not in log
    assert not path.exists()
