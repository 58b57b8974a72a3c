# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Warnings that others cause do not fill a log, and hide no other fault."""

import io
import logging

import pytest
from quench_switch.outside.log_limit import BURST, EACH_S, MOST_KINDS, LogLimit
from quench_switch.outside.text import MOST_LOGGED_CHARACTERS, LineFormatter

LIBRARY = "/usr/lib/library.py"


class Log:
    """The output of a limited handler."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.stream = io.StringIO()
        self.limit = LogLimit(lambda: self.now_s)
        self.handler = logging.StreamHandler(self.stream)
        self.handler.addFilter(self.limit)
        self.handler.setFormatter(LineFormatter("%(message)s"))

    def say(self, logger: str, path: str, line: int, message: str, level: int = logging.WARNING, **extra: str) -> None:
        record = logging.LogRecord(logger, level, path, line, message, None, None)
        record.__dict__.update(extra)
        self.handler.handle(record)

    def lines(self) -> list[str]:
        return self.stream.getvalue().splitlines()


@pytest.fixture
def log() -> Log:
    return Log()


def test_one_line_a_minute_of_a_fault_and_how_many_were_left_out(log: Log) -> None:
    for number in range(1000):
        log.say("quench.live", "a.py", 1, f"bad {number}")
    assert log.lines() == [f"bad {number}" for number in range(BURST)]
    log.now_s = EACH_S - 1
    log.say("quench.live", "a.py", 1, "bad")
    log.now_s = EACH_S
    log.say("quench.live", "a.py", 1, "bad")
    log.say("quench.live", "a.py", 1, "bad")
    left_out = 1000 - BURST + 1
    assert log.lines()[BURST:] == [f"bad ({left_out} records of this kind were left out before)"]


def test_a_fault_hides_no_other_one(log: Log) -> None:
    for number in range(100):
        log.say("quench.live", "a.py", 1, f"bad {number}", about="s1")
        log.say("library", LIBRARY, number, f"odd {number}")
    log.say("quench.live", "a.py", 2, "another line")
    log.say("quench.live", "a.py", 1, "another switch", about="s2")
    log.say("other", "/usr/lib/other.py", 1, "another library")
    assert log.lines()[-3:] == ["another line", "another switch", "another library"]
    assert len(log.lines()) == 2 * BURST + 3


def test_what_we_do_ourselves_is_not_limited(log: Log) -> None:
    for _ in range(100):
        log.say("quench.service", "a.py", 1, "port is up", logging.INFO)
    assert len(log.lines()) == 100


def test_kinds_without_end_take_no_room(log: Log) -> None:
    for number in range(10 * MOST_KINDS):
        log.say("quench.live", "a.py", number, "bad")
    assert len(log.limit._buckets) == MOST_KINDS
    assert len(log.lines()) == MOST_KINDS + BURST


def test_a_long_message_and_a_long_traceback_lose_their_middle(log: Log) -> None:
    error: ValueError | None = None
    for number in range(100):
        try:
            raise ValueError(f"cause {number}") from error
        except ValueError as caught:
            error = caught
    assert error is not None
    fault = (ValueError, error, error.__traceback__)
    log.handler.handle(logging.LogRecord("n", logging.ERROR, "a.py", 1, "x" * 100_000, None, fault))
    text = log.stream.getvalue()
    assert len(text) < 2 * MOST_LOGGED_CHARACTERS + 100
    assert "Traceback" in text
    assert text.endswith("ValueError: cause 99\n")
    assert text.count(" characters ... ") == 2


def test_what_others_cause_of_level_info_is_limited_too(log: Log) -> None:
    for number in range(1000):
        log.say("quench.switch", "a.py", 1, f"loaded {number}", logging.INFO, is_limited="yes")
        log.say("quench.switch", "a.py", 2, f"port {number}", logging.INFO)
    assert sum("loaded" in line for line in log.lines()) == BURST
    assert sum("port" in line for line in log.lines()) == 1000
