# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0

import json
from pathlib import Path

import pytest
from quench_switch import arch
from quench_switch._native import compile_p4
from quench_switch.stf.cli import app
from quench_switch.stf.names import resolve
from quench_switch.stf.runner import run_test
from quench_switch.stf.tofino import architecture_of, guess_architecture
from typer.testing import CliRunner

TNA = Path(__file__).parents[3] / "tests" / "tna"
V1MODEL = Path(__file__).parents[3] / "tests" / "programs"


@pytest.fixture(scope="module")
def jsons():
    """Compiled programs by their names."""
    names = ("destinations", "lpf", "action_selector", "value_sets", "lpf_direct")
    paths = {name: path for name in names for path in TNA.glob(f"*/{name}.p4")}
    return {name: compile_p4(str(path), arch="tna").json for name, path in paths.items()}


@pytest.fixture
def difference(jsons, tmp_path):
    """Runs a test given as text; the message of the difference or None."""

    def run(name, text):
        test = tmp_path / "t.stf"
        test.write_text(text)
        found = run_test(jsons[name], test)
        return found and found.message

    return run


def test_the_architecture_is_that_of_the_files_that_are_included(jsons, tmp_path):
    assert guess_architecture(TNA / "registers" / "register.p4", [], []) == "tna"
    assert guess_architecture(V1MODEL / "control" / "actions.p4", [], []) == "v1model"
    broken = tmp_path / "broken.p4"
    broken.write_text("#include <nothing.p4>\n")
    assert guess_architecture(broken, [], []) == "v1model"
    assert architecture_of(jsons["lpf"]) is arch.TNA
    assert architecture_of(compile_p4(str(V1MODEL / "control" / "actions.p4")).json) is arch.V1MODEL


@pytest.mark.parametrize("meta", [None, {}, {"architecture": None}, [[2, 23], None]])
def test_a_program_without_an_architecture_is_one_of_v1model(tmp_path, meta):
    program = json.loads(compile_p4(str(V1MODEL / "control" / "actions.p4")).json) | {"__meta__": meta}
    test = tmp_path / "t.stf"
    test.write_text("wait\n")
    assert run_test(json.dumps(program), test) is None


def test_arch_decides_for_all_programs():
    runner = CliRunner()
    assert runner.invoke(app, ["--arch", "tna", str(TNA / "registers" / "register.p4")]).exit_code == 0
    # v1model has no tna.p4 that could be included.
    assert runner.invoke(app, ["--arch", "v1model", str(TNA / "registers" / "register.p4")]).exit_code == 2


def test_names_may_have_the_pipelines_name_before_them_where_the_program_has_none():
    assert resolve("pipe.Ingress.send", ["Ingress.send", "Ingress.drop"], "action") == "Ingress.send"
    assert resolve("Ingress.t", ["pipe.Ingress.t"], "table") == "pipe.Ingress.t"


def test_copies_for_the_cpu_leave_at_port_320(difference):
    packet = "08 00 00000000 00000000"
    assert difference("destinations", f"packet 1 {packet}\nexpect 320 {packet} $") is None


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("lpf", "filter_set average 1 sample 1 1 x", "'x' is not a number"),
        ("lpf", "filter_set average 1 sample -1 1 0", "'-1' is not a decimal number"),
        ("lpf", "filter_set average 1 wave 1 1 0", "a filter is sample or rate with 3 numbers, or wred with 4"),
        ("lpf", "filter_set average 1 wred 1 1 0", "a filter is sample or rate with 3 numbers, or wred with 4"),
        ("lpf", "filter_set average 256 sample 1 1 0", "has 256 cells"),
        ("lpf", "filter_set other 1 sample 1 1 0", "no filter 'other'"),
        ("lpf_direct", "filter_set average $gone sample 1 1 0", "no entry was added as 'gone'"),
        (
            "lpf",
            "generate 8 port-down bytes=00",
            "application of the packet generator: '8' is not a number from 0 to 7",
        ),
        ("lpf", "generate 1 bytes=00", "give one of one-shot, periodic, port-down, recirculated, not none"),
        ("lpf", "generate 1 periodic=1ns bytes=00", "1000000000 packets a second: 1000000 are the most"),
        ("lpf", "generate 1 port-down bytes=00 batches=2", "2 batches"),
        ("lpf", "port_down 0x100000000", "is not between 0 and"),
        ("lpf", "port_clear 512", "TNA's last one is 511"),
        ("lpf", "port_metadata 1 0x1FFFFFFFFFFFFFFFF", "is not between 0 and"),
        ("lpf", "member_add members 1 choose(way:1)", "no profile 'members'"),
        ("action_selector", "member_add members 1 fly()", "no action 'fly'"),
        ("action_selector", "group_add members 1 7", "member"),
        ("action_selector", "add routes index:1 choose(way:1)", "its entries are member(number:N) or group(number:N)"),
        ("action_selector", "add routes index:1 member(number:9)", "member"),
        ("value_sets", "value_set_add types 1 2", "has 1 fields, not 2"),
        ("value_sets", "value_set_add types 0..0x10000", "does not fit in 16 bits"),
        ("value_sets", "\n".join(f"value_set_add types {value}" for value in range(5)), "has room for 4"),
    ],
)
def test_what_cannot_be_done_is_said(difference, name, text, message):
    assert message in difference(name, text)
