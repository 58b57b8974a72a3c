# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests in STF that mean harm: refused at their place, in bounded time and memory."""

import logging
from pathlib import Path

import pytest
from quench_switch.stf import arrays, runner
from quench_switch.stf.cli import app
from quench_switch.stf.runner import run_test
from quench_switch.stf.syntax import (
    MAX_LINE_CHARACTERS,
    MAX_NUMBER_CHARACTERS,
    MAX_STATEMENTS,
    MAX_TOKENS,
    StfSyntaxError,
    parse,
)
from typer.testing import CliRunner

NINES = "9" * 5000


@pytest.mark.parametrize(
    ("line", "place", "message"),
    [
        (f"packet {NINES} 00", 7, "the number is too long"),
        (f"expect {NINES} 00", 7, "the number is too long"),
        (f"add t {NINES} a:1 b()", 7, "the number is too long"),
        (f"add t k:1 a(x:{NINES})", 15, "the number is too long"),
        (f"check_counter c(0) packets == {NINES}", 31, "the number is too long"),
        (f"expect_digest d 1 {NINES}", 19, "the number is too long"),
        ("add t k:0b" + "1" * MAX_NUMBER_CHARACTERS + " a()", 9, "the number is too long"),
        ("add t k:1 a(" + "x:1," * MAX_TOKENS, None, f"more than {MAX_TOKENS} words and symbols"),
        ("add t " + "a.[" * MAX_TOKENS, None, f"more than {MAX_TOKENS} words and symbols"),
        ("packet 0 " + "0" * MAX_LINE_CHARACTERS, 1, f"the line has more than {MAX_LINE_CHARACTERS} characters"),
        ("packet \u0661 00", 7, "expected a port number"),
        ("\x1b[2J 1 00", 1, "a statement starts with a keyword"),
    ],
)
def test_a_line_beyond_the_limits_is_refused_at_its_place(line, place, message):
    with pytest.raises(StfSyntaxError) as caught:
        list(parse(f"wait\n{line}", "x.stf"))
    assert str(caught.value).startswith(f"x.stf:2:{place if place is not None else ''}")
    assert message in str(caught.value)
    assert len(str(caught.value)) < 200


def test_there_are_only_so_many_statements():
    assert len(list(parse("wait\n" * 1000, "x.stf"))) == 1000
    with pytest.raises(StfSyntaxError, match=rf"x.stf:{MAX_STATEMENTS + 1}:1: more than {MAX_STATEMENTS} statements"):
        list(parse("wait\n" * (MAX_STATEMENTS + 1), "x.stf"))


HUGE = "0x" + "f" * 1000


@pytest.mark.parametrize(
    "line",
    [
        "packet 99999999999999999999 00",
        f"mc_mgrp_create {HUGE}",
        "mc_mgrp_create -1",
        f"mirroring_add {HUGE} 1",
        f"mirroring_get {NINES}",
        f"mc_node_associate {HUGE} 1",
        f"add exact_t {HUGE} k:1 drop()",
        f"counter_write totals {HUGE} 1 1",
        f"counter_read totals {HUGE}",
        f"check_counter totals({HUGE}) packets == 1",
        f"register_write cells 0 -{HUGE}",
        f"register_write cells {HUGE} 1",
        f"remove {HUGE}",
        "meter_set_rates speed 0 1e999999999:1 1:1",
        "meter_set_rates speed 0 1/7:1 1:1",
    ],
)
def test_a_statement_beyond_all_bounds_fails_the_test_at_its_line(tmp_path, json, line):
    test = tmp_path / "x.stf"
    test.write_text(f"wait\n{line}\n")
    try:
        difference = run_test(json, test)
    except StfSyntaxError as error:
        assert str(error).startswith(f"{test}:2:")
        return
    assert difference is not None
    assert difference.line == 2


@pytest.mark.parametrize(
    ("rate", "problem"),
    [("1e999999999", "is not rate:burst"), ("1/7", "is not rate:burst"), ("nan", "is not rate:burst")],
)
def test_a_rate_is_a_short_number(rate, problem):
    with pytest.raises(runner.StfError, match=problem):
        arrays.meter_rates([f"{rate}:1", "1:1"])
    assert arrays.meter_rates(["0.000128:9000", "5e-3:2"]) == (128, 9000, 5000, 2, 0)


@pytest.mark.parametrize("expected", ["expect 1 00", "expect_log a message", "expect_digest seen 7"])
def test_what_is_kept_takes_a_limited_amount_of_memory(expected, monkeypatch):
    monkeypatch.setattr(runner, "MAX_RECEIVED_BYTES", 10)
    run = runner.StfRun(_Flood())
    difference = run.run(parse(f"{expected}\nwait\n", "x.stf"))
    assert difference is not None
    assert difference.message == "more than 10 bytes of packets and messages came out"


class _Flood:
    """A switch that sends for ever."""

    def program(self):
        return {"digests": [{"id": 1, "name": "seen", "fields": [{"name": "f", "bits": 8}]}]}

    def advance(self, now_ns):
        logging.getLogger("p4").info("a message")
        return [(1, b"1234", now_ns)]

    def take_digests(self):
        return [(1, [[b"\7"]], 0)]

    def next_event_ns(self):
        return 0


def test_many_expectations_and_checks_take_no_quadratic_time(tmp_path, json):
    test = tmp_path / "x.stf"
    test.write_text("expect 1 00\nno_packet\n" * 20_000)
    difference = run_test(json, test)
    assert difference is not None
    assert difference.line == 1


def test_what_an_error_quotes_goes_to_the_terminal_as_escapes(tmp_path):
    program, test = tmp_path / "x.json", tmp_path / "x.stf"
    program.write_text('{"\x1b[2J": "\u202e"}')
    test.write_text('add "\x1b[2J\u202e" k:1 a()')
    result = CliRunner().invoke(app, [str(program), str(test)])
    assert result.exit_code == 2
    assert result.output.replace("\n", "").isprintable()
    assert str(Path(test)) in result.output or str(program) in result.output
