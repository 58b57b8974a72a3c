# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A log on a disk that is full for a while, and what a log line may hold."""

import errno
import logging
import os
import stat
import subprocess
import sys

import pytest
from quench_switch.log_file import LogFile
from quench_switch.outside.log_limit import BURST
from quench_switch.outside.text import MOST_LOGGED_CHARACTERS, LineFormatter, printable, printable_lines

# A limit on the size of files ends a write where a full disk would: in the middle of a line, then with an error.
CHILD = """
import logging, resource, sys
from pathlib import Path
from quench_switch.cli.switch import LogLevel, _configure_log

def room(limit_bytes):
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, resource.RLIM_INFINITY))

_configure_log(LogLevel.INFO, False, Path(sys.argv[1]))
log = logging.getLogger("test")
room(200)
for number in range(1000):
    log.info("before %d", number)
room(resource.RLIM_INFINITY)
log.info("after")
room(500)
for number in range(10):
    log.info("again %d %s", number, "x" * 100)
room(resource.RLIM_INFINITY)
log.info("end")
"""


def test_a_full_disk_is_one_line_on_stderr_and_a_count_in_the_log(tmp_path):
    path = tmp_path / "log"
    done = subprocess.run([sys.executable, "-c", CHILD, path], check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith(f"quench switch: {path}: {os.strerror(errno.EFBIG)}")
    lines = path.read_text().splitlines()
    whole = [line for line in lines if "before" in line and line[-1].isdigit() and len(line) > 30]
    outages = [int(line.split("quench_switch.log_file: ")[1].split()[0]) for line in lines if "could not" in line]
    assert len(outages) == 2
    assert len(whole) + outages[0] in (1000, 1001), "the line that was cut off is lost, however it looks"
    assert [line.rpartition(" ")[2] for line in lines if line.endswith(("after", "end"))] == ["after", "end"]


FLOODED = """
import logging, sys
from pathlib import Path
from quench_switch.cli.switch import LogLevel, _configure_log

def called(depth):
    if depth:
        called(depth - 1)
    raise ValueError("x" * 100_000)

_configure_log(LogLevel.INFO, False, Path(sys.argv[1]))
for number in range(300):
    try:
        called(number % 50)
    except ValueError:
        logging.exception("Internal error %d", number)
logging.getLogger("test").warning("the end")
"""


def test_what_strangers_cause_does_not_fill_the_log(tmp_path):
    path = tmp_path / "log"
    subprocess.run([sys.executable, "-c", FLOODED, path], check=True, timeout=60)
    text = path.read_text()
    assert text.count("Internal error") == BURST
    assert len(text) < BURST * 3 * MOST_LOGGED_CHARACTERS
    assert text.endswith("test: the end\n")


def test_a_pipe_without_a_reader_is_refused_and_a_slow_one_is_not_waited_for(tmp_path, capsys):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(OSError, match="No such device or address"):
        LogFile(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    handler = LogFile(path)
    record = logging.LogRecord("name", logging.INFO, __file__, 1, "x" * 1000, None, None)
    for _ in range(200):
        handler.handle(record)
    assert capsys.readouterr().err.count("\n") == 1
    while os.read(reader, 1 << 20).endswith(b"x" * 1000 + b"\n"):
        handler.handle(record)
        break
    handler.close()
    handler.close()
    os.close(reader)


def test_a_message_that_does_not_fit_its_arguments_ends_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(logging, "raiseExceptions", False)
    handler = LogFile(tmp_path / "log")
    handler.handle(logging.LogRecord("name", logging.INFO, __file__, 1, "%d", ("x",), None))
    handler.handle(logging.LogRecord("name", logging.INFO, __file__, 1, "\ud800 fine", None, None))
    handler.close()
    assert (tmp_path / "log").read_bytes() == b"\\ud800 fine\n"
    assert not (tmp_path / "log").stat().st_mode & stat.S_IWOTH


HOSTILE = "\x1b[31mred\x1b[0m\r\n\x07\x9b\u202eright to left\u2066\u2028\x00 end"


def test_what_a_terminal_would_obey_stands_as_escapes():
    assert printable("plain, häuser 漢字") == "plain, häuser 漢字"
    assert printable(HOSTILE) == (r"\x1b[31mred\x1b[0m\r\n\x07\x9b\u202eright to left\u2066\u2028\x00 end")
    assert printable_lines("one\n\ttwo\x1b") == "one\n\ttwo\\x1b"


def test_a_log_line_is_one_line_and_only_a_traceback_has_more():
    formatter = LineFormatter("%(levelname)s %(message)s")
    try:
        raise ValueError("bad\x1b[2J")
    except ValueError:
        record = logging.LogRecord("n", logging.INFO, __file__, 1, "role %s", (HOSTILE,), sys.exc_info())
    first, *others = formatter.format(record).split("\n")
    assert first == f"INFO role {printable(HOSTILE)}"
    assert others[0].startswith("Traceback")
    assert "\x1b" not in "".join(others)
