# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from quench_switch._native import compile_p4
from quench_switch.stf.cli import app, group
from quench_switch.stf.runner import run_test
from typer.testing import CliRunner


@pytest.fixture
def run(json, tmp_path):
    """Runs a test given as text; the difference or None."""

    def run(text):
        test = tmp_path / "t.stf"
        test.write_text(text)
        return run_test(json, test)

    return run


@pytest.mark.parametrize("interpreted", [False, True])
def test_every_statement_does_what_it_says(json, program, interpreted):
    assert run_test(json, program.with_suffix(".stf"), interpreted=interpreted) is None


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("packet 0 01 0001 00\nexpect 1 01", 2, "port 1: expected 01, nothing more came out"),
        ("setdefault exact_t send(port:1)\npacket 0 01 0001 00\nexpect 1 01 0002", 3, "byte 2 differs"),
        ("setdefault exact_t send(port:1)\npacket 0 01 0001 00\nexpect 1 01 $", 3, "4 bytes are too many"),
        ("setdefault exact_t send(port:1)\npacket 0 01 0001 00\nexpect 1 01 0001 00 00", 3, "too few"),
        ("setdefault exact_t send(port:1)\npacket 0 01 0001 00\npacket 1 00", 3, "packet 1 was not expected"),
        ("setdefault exact_t send(port:0)\npacket 0 01 0001 00\nno_packet", 3, "packet 1 was not expected"),
        ("expect 1\n", 1, "nothing more came out"),
        ("check_counter totals(1) packets == 1", 1, "packets are 0, expected == 1"),
        ("add nothing key:1 drop()", 1, "no table 'nothing'; the program has CommandsIngress."),
        ("add exact_t color:1 drop()", 1, "no key field 'color'; the table has hdr.order.key"),
        ("add exact_t key:1 fly()", 1, "no action 'fly'"),
        ("add exact_t key:0x10000 drop()", 1, "does not fit in 16 bits"),
        ("add exact_t key:1 drop()\nadd exact_t key:1 drop()", 2, "already has an entry"),
        ("remove exact_t key:1", 1, ""),
        ("remove $gone", 1, "no entry was added as 'gone'"),
        ("register_write cells 9 1", 1, ""),
        ("register_write cells 1 0x10000", 1, ""),
        ("register_read nothing 1", 1, "no register 'nothing'; the program has CommandsIngress.cells"),
        ("mc_node_associate 1 0", 1, "no multicast node 0"),
        ("mirroring_get 4", 1, "no clone session 4"),
        ("meter_set_rates speed 0 fast:1 1:1", 1, "'fast:1' is not rate:burst"),
        ("meter_set_rates speed 0 0.00000000000000001:1 1:1", 1, "no multiple of 1e-9"),
        ("set_crc16_parameters calc 1 2 3 true maybe", 1, "'true maybe' are not two of true and false"),
        ("set_crc16_parameters calc 1 2 0x10000 true true", 1, "0x10000 has more than 16 bits"),
        ("set_crc32_parameters none 1 2 3 true true", 1, "there is no calculation called 'none'"),
        ("set_queue_rate 5 1 1", 1, "priority 1: a port has 1 queues"),
        ("mirroring_add x 1", 1, "'x' is not a number"),
        ("set_queue_rate x 1", 1, "'x' is not a number"),
    ],
)
def test_a_failing_test_names_its_first_wrong_line(run, text, line, message):
    difference = run(text)
    assert difference is not None
    assert difference.line == line
    assert message in difference.message
    assert difference.message


QUEUES = Path(__file__).parent / "programs/queues.p4"


@pytest.mark.parametrize(
    ("rates", "order"),
    [
        ((), "70 00 71 01 72 02"),
        # The packets of one queue wait, and those of the others pass them.
        (("set_queue_rate 10 1 7",), "70 00 01 02 71 72"),
        (("set_queue_rate 10 1",), "70 00 71 01 72 02"),
        (("set_queue_rate 10 1", "set_queue_rate 0 1 7"), "70 00 71 72 01 02"),
        (("set_queue_rate 10 1", "set_queue_rate 20 1 0"), "70 00 01 71 02 72"),
    ],
)
@pytest.mark.parametrize("interpreted", [False, True])
def test_each_queue_may_have_a_rate(tmp_path, rates, order, interpreted):
    sent = [f"packet 0 0{queue}0{number}" for number in range(3) for queue in (7, 0)]
    wanted = [f"expect 1 0{text[0]}0{text[1]} $" for text in order.split()]
    test = tmp_path / "queues.stf"
    test.write_text("\n".join([*rates, *sent, *wanted]))
    assert run_test(compile_p4(str(QUEUES)).json, test, interpreted=interpreted, priority_queues=8) is None


COMMANDS = st.sampled_from(
    [
        "set_queue_rate",
        "mirroring_add",
        "mirroring_add_mc",
        "mc_mgrp_create 1\nmc_node_create",
        "mc_node_create",
        "mc_node_associate",
        "mc_node_update",
        "register_write cells",
        "counter_write totals 1",
        "add exact_t key:1 send(port:1)\npacket",
        "packet",
    ]
)
NUMBERS = st.one_of(st.integers(0, 600), st.sampled_from([2**16, 2**32, 2**64, 2**70])).map(str)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(COMMANDS, NUMBERS, NUMBERS), max_size=6))
def test_commands_with_any_numbers_work_or_fail_on_their_line(run, commands):
    text = "\n".join(" ".join(parts) for parts in commands if parts[0][-6:] != "packet" or len(parts[2]) % 2 == 0)
    difference = run(text)
    assert difference is None or difference.message


MESSAGES = Path(__file__).parents[3] / "tests/programs/externs/messages.p4"


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        (
            "of 6 bytes\nexpect_digest seen_t 5",
            "of 7 bytes\nexpect_digest seen_t 5",
            7,
            "received 'value 5 of a packet of 6",
        ),
        ("seen_t 5 0", "seen_t 5 1", 8, "received 'seen_t 0x5 0x0 0x1234'"),
        ("seen_t 5 0 0x1234", "seen_t 5 0", 8, "has 3 fields, not 2"),
        ("seen_t 5 0", "seen_t 5 0x200", 8, "0x200 does not fit in the 9 bits"),
        ("seen_t 5", "heard_t 5", 8, "no digest 'heard_t'; the program has seen_t"),
        (
            "expect_log value 255 of a packet of 6 bytes\n",
            "",
            12,
            "'value 255 of a packet of 6 bytes' was not expected",
        ),
        ("expect_digest seen_t 0xFF 2 0x1234\n", "", 12, "'seen_t 0xff 0x2 0x1234' was not expected"),
        ("expect_log value 255", "expect_log a packet\nexpect_log value 255", 12, "received 'value 255"),
        ("seen_t 0xFF 2 0x1234", "seen_t 0xFF 2 0x1234\nexpect_digest seen_t 1 2 3", 14, "nothing more came"),
        ("seen_t 0xFF 2 0x1234", "seen_t 0xFF 2 0x1234\nexpect_log the end", 14, "nothing more came"),
    ],
)
def test_log_and_digests_are_compared(tmp_path, old, new, line, message):
    text = MESSAGES.with_suffix(".stf").read_text()
    assert text.count(old) == 1
    changed = tmp_path / "changed.stf"
    changed.write_text(text.replace(old, new))
    difference = run_test(compile_p4(str(MESSAGES)).json, changed)
    assert difference is not None
    assert (difference.line, message in difference.message) == (line, True), difference


def test_messages_are_looked_at_only_where_one_is_expected(tmp_path):
    test = tmp_path / "packets.stf"
    test.write_text("packet 0 05 00 00 0000\nexpect 1")
    assert run_test(compile_p4(str(MESSAGES)).json, test) is None


def test_a_packet_of_a_priority_needs_its_queue(tmp_path):
    programs = MESSAGES.parents[1] / "packet_path"
    source = (programs / "queueing.p4").read_text()
    assert source.count("std.priority = 0;") == 1
    program, test = tmp_path / "priority.p4", tmp_path / "priority.stf"
    program.write_text(source.replace("std.priority = 0;", "std.priority = 2;"))
    test.write_text("packet 0 00 00 00 FF 00 00\nexpect 1 00 02")
    passes = CliRunner().invoke(app, ["-I", str(programs), "--priority-queues", "3", str(program), str(test)])
    assert passes.exit_code == 0, passes.output
    fails = CliRunner().invoke(app, ["-I", str(programs), str(program), str(test)])
    assert (fails.exit_code, "nothing more came out" in fails.output) == (1, True)


def test_runs_are_independent_and_repeatable(run):
    text = "register_write cells 0 7\npacket 0 05 0000 00\nexpect 1 05 0007 00 $"
    assert run(text) is None
    assert run("packet 0 05 0000 00\nexpect 1 05 0000 00 $") is None


# -- The command ----------------------------------------------------------------------------------------------


@pytest.fixture
def files(program, json, tmp_path):
    """Folder with the program, its JSON and a few tests."""
    (tmp_path / "commands.p4").write_text(program.read_text())
    (tmp_path / "commands.json").write_text(json)
    (tmp_path / "commands.stf").write_text(program.with_suffix(".stf").read_text())
    (tmp_path / "bad.stf").write_text("packet 0 01 0001 00\nexpect 1 01 0001 00\n")
    (tmp_path / "wrong.stf").write_text("packet 0 01 0001 00\nexpcet 1 01\n")
    (tmp_path / "broken.p4").write_text("control c( { }\n")
    return tmp_path


def invoke(*args):
    return CliRunner().invoke(app, [str(arg) for arg in args])


def test_a_program_is_tested_by_the_file_of_its_name(files):
    result = invoke(files / "commands.p4")
    assert (result.exit_code, result.stdout) == (0, f"PASS {files / 'commands.stf'}\n")
    assert invoke(files / "commands.json").exit_code == 0


def test_a_failing_test_ends_with_1_and_shows_the_difference(files):
    result = invoke(files / "commands.json", files / "bad.stf", files / "commands.stf")
    assert result.exit_code == 1
    assert f"FAIL {files / 'bad.stf'}:2: port 1: expected 01000100, nothing more came out" in result.stdout
    assert f"PASS {files / 'commands.stf'}" in result.stdout


def test_what_is_no_test_or_no_program_ends_with_2(files):
    result = invoke(files / "commands.json", files / "wrong.stf")
    assert result.exit_code == 2
    assert f"{files / 'wrong.stf'}:2:1: unknown statement 'expcet'" in result.stderr
    result = invoke(files / "broken.p4", files / "commands.stf")
    assert result.exit_code == 2
    assert "broken.p4:1:" in result.stderr
    for args in (
        [files / "none.p4"],
        [files / "commands.json", files / "none.stf"],
        [files / "commands.stf"],
        [files / "notes.txt"],
        [],
    ):
        assert invoke(*args).exit_code == 2, args


def test_the_worst_of_several_programs_counts(files):
    result = invoke(files / "commands.p4", files / "commands.json", files / "bad.stf")
    assert result.exit_code == 1


def test_verbose_shows_packets(files):
    command = [sys.executable, "-m", "quench_switch.stf.cli", "-v", str(files / "commands.json")]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "in 0 01000100" in result.stdout
    assert "out 1 010001aa" in result.stdout
    assert "mirroring_get: session 9: port 2 rid 0" in result.stdout


def test_programs_and_tests_are_grouped(tmp_path):
    a, b, x, y = (tmp_path / name for name in ("a.p4", "b.json", "x.stf", "y.stf"))
    assert group([a, x, y, b]) == [(a, [x, y]), (b, [tmp_path / "b.stf"])]
    with pytest.raises(ValueError, match="before its tests"):
        group([x, a])
