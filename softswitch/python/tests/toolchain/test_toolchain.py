# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench toolchain``: commands that take what users' Makefiles, Mininet scripts and test runners pass."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from finsy.proto import p4i, p4r
from google.protobuf import json_format, text_format
from quench_switch.toolchain import commands, p4c, simple_switch

PROGRAM = """\
#include <core.p4>
#include <v1model.p4>
#include "types.p4"
struct headers {}
struct metadata {}
parser P(packet_in p, out headers h, inout metadata m, inout standard_metadata_t s) {
    state start { transition accept; }
}
control V(inout headers h, inout metadata m) { apply {} }
control I(inout headers h, inout metadata m, inout standard_metadata_t s) {
    register<bit<32>>(4) seen;
    action send(PortId port) { s.egress_spec = port; }
    table ports { key = { s.ingress_port: exact; } actions = { send; NoAction; } }
    apply { seen.write(0, EXTRA); ports.apply(); }
}
control E(inout headers h, inout metadata m, inout standard_metadata_t s) { apply {} }
control C(inout headers h, inout metadata m) { apply {} }
control D(packet_out p, in headers h) { apply {} }
V1Switch(P(), V(), I(), E(), C(), D()) main;
"""
Command = Callable[[Sequence[str]], int]
DEFINED = ["-DEXTRA=7", "-I", "include"]
TIMEOUT_S = 30


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a program and its included file, which is the current one."""
    (tmp_path / "prog.p4").write_text(PROGRAM)
    (tmp_path / "include").mkdir()
    (tmp_path / "include/types.p4").write_text("typedef bit<9> PortId;\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()} - {
        "prog.p4",
        "include/types.p4",
    }


def test_the_driver_writes_what_p4cs_does(folder: Path) -> None:
    options = ["--target", "bmv2", "--arch", "v1model", "--std", "p4-16", "--p4runtime-files", "out/prog.txtpb"]
    assert p4c.driver([*options, *DEFINED, "-o", "out", "prog.p4"]) == 0
    assert written(folder) == {"out/prog.json", "out/prog.p4i", "out/prog.txtpb"}
    assert "typedef bit<9> PortId" in (folder / "out/prog.p4i").read_text()
    assert json.loads((folder / "out/prog.json").read_text())["register_arrays"]


def test_the_driver_writes_no_p4info_that_was_not_asked_for(folder: Path) -> None:
    assert p4c.driver(["-b", "bmv2-ss-p4org", *DEFINED, "prog.p4"]) == 0
    assert written(folder) == {"prog.json", "prog.p4i"}


def test_the_compiler_writes_the_files_that_are_named(folder: Path) -> None:
    (folder / "build").mkdir()
    infos = "--p4runtime-files=build/prog.p4.p4info.txtpb,build/prog.bin,build/info.json"
    assert p4c.compiler(["--p4v", "16", infos, *DEFINED, "-o", "build/prog.out", "prog.p4"]) == 0
    assert written(folder) == {
        "build/prog.out",
        "build/prog.p4.p4info.txtpb",
        "build/prog.bin",
        "build/info.json",
    }
    text = text_format.Parse((folder / "build/prog.p4.p4info.txtpb").read_text(), p4i.P4Info())
    assert p4i.P4Info.FromString((folder / "build/prog.bin").read_bytes()) == text
    assert json_format.Parse((folder / "build/info.json").read_text(), p4i.P4Info()) == text
    assert text.tables[0].preamble.name == "I.ports"


def test_the_deprecated_option_of_p4info_has_a_format_of_its_own(folder: Path) -> None:
    options = ["--p4runtime-file", "info", "--p4runtime-format", "text", *DEFINED]
    assert p4c.compiler([*options, "prog.p4"]) == 0
    assert written(folder) == {"info"}
    assert text_format.Parse((folder / "info").read_text(), p4i.P4Info()).registers


def test_the_compiler_writes_the_programs_entries(folder: Path) -> None:
    entries = "const entries = { 3: send(4); }"
    program = PROGRAM.replace("actions = { send; NoAction; }", "actions = { send; NoAction; } " + entries)
    (folder / "prog.p4").write_text(program)
    assert p4c.compiler(["--p4runtime-entries-files=a.txtpb,a.json,a.bin", *DEFINED, "prog.p4"]) == 0
    assert written(folder) == {"a.txtpb", "a.json", "a.bin"}
    request = p4r.WriteRequest.FromString((folder / "a.bin").read_bytes())
    assert request.updates[0].entity.table_entry.match[0].exact.value == b"\x00\x03"
    assert text_format.Parse((folder / "a.txtpb").read_text(), p4r.WriteRequest()) == request
    assert json_format.Parse((folder / "a.json").read_text(), p4r.WriteRequest()) == request
    deprecated = ["--p4runtime-entries-file", "entries", "--p4runtime-format", "text"]
    assert p4c.driver([*deprecated, *DEFINED, "-o", "out", "prog.p4"]) == 0
    assert (folder / "entries").read_text() == (folder / "a.txtpb").read_text()


@pytest.mark.parametrize("command", [p4c.driver, p4c.compiler])
def test_an_error_is_status_1_and_leaves_no_json(folder: Path, command: Command, capfd: pytest.CaptureFixture) -> None:
    assert command(["-I", "include", "-o", "out.json", "prog.p4"]) == 1
    assert "prog.p4:14" in capfd.readouterr().err
    assert not any(name.endswith(".json") for name in written(folder))


def test_preprocessing_and_rules_for_make(folder: Path, capsys: pytest.CaptureFixture) -> None:
    assert p4c.compiler(["-E", *DEFINED, "prog.p4"]) == 0
    assert "seen.write(0, 7)" in capsys.readouterr().out
    assert p4c.compiler(["-M", *DEFINED, "prog.p4"]) == 0
    assert capsys.readouterr().out == "prog.o: prog.p4 include/types.p4\n"
    assert written(folder) == set()
    assert p4c.driver(["-MD", "-MF", "deps", "-MT", "prog.json", "-MP", *DEFINED, "prog.p4"]) == 0
    assert (folder / "deps").read_text() == "prog.json: prog.p4 include/types.p4\n\ninclude/types.p4:\n"
    assert p4c.driver(["-E", "-o", "pre", "-Xpreprocessor=-DEXTRA=9", "-I", "include", "prog.p4"]) == 0
    assert written(folder) == {"deps", "prog.json", "prog.p4i", "pre/prog.p4i"}
    assert "seen.write(0, 9)" in (folder / "pre/prog.p4i").read_text()


def test_preprocessing_and_rules_see_the_macro_of_the_target(folder: Path, capsys: pytest.CaptureFixture) -> None:
    (folder / "prog.p4").write_text(PROGRAM.replace('#include "types.p4"', f"{FOR_BMV2}\ntypedef bit<9> PortId;"))
    assert p4c.compiler(["-E", *DEFINED, "prog.p4"]) == 0
    assert "const bit<9> CPU = 255;" in capsys.readouterr().out
    (folder / "prog.p4").write_text(PROGRAM.replace('#include "types.p4"', f'{FOR_BMV2}\n#include "types.p4"'))
    assert p4c.compiler(["-M", *DEFINED, "-D__TARGET_BMV2__=0", "prog.p4"]) == 0
    assert capsys.readouterr().out == "prog.o: prog.p4 include/types.p4\n"
    conditional = '#ifdef __TARGET_BMV2__\n#include "types.p4"\n#endif'
    (folder / "prog.p4").write_text(PROGRAM.replace('#include "types.p4"', conditional))
    assert p4c.driver(["-MD", "-MF", "deps", "-MT", "prog.json", *DEFINED, "prog.p4"]) == 0
    assert (folder / "deps").read_text() == "prog.json: prog.p4 include/types.p4\n"
    assert "typedef bit<9> PortId;" in (folder / "prog.p4i").read_text()


FOR_BMV2 = "#ifdef __TARGET_BMV2__\nconst bit<9> CPU = 255;\n#else\nconst bit<9> CPU = 64;\n#endif"


def test_options_without_effect_are_named_once(folder: Path, capsys: pytest.CaptureFixture) -> None:
    options = ["-T", "x:4", "-T", "y:4", "--pp", "out.p4", "-Xp4c=--emit-externs", "--ndebug", "-g"]
    assert p4c.driver([*options, *DEFINED, "prog.p4"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert sorted(lines) == [
        f"p4c: {option} has no effect with Quench" for option in ("--emit-externs", "--pp", "-T", "-g")
    ]
    assert "out.p4" not in written(folder)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--nonsense", "prog.p4"], "unrecognized arguments: --nonsense"),
        (["--targ", "bmv2", "prog.p4"], "unrecognized arguments"),
        (["--target", "tofino", "prog.p4"], "compiles for bmv2 and v1model"),
        (["--arch", "psa", "prog.p4"], "compiles for bmv2 and v1model"),
        (["--p4v", "14", "prog.p4"], "P4-14 is not supported"),
        (["none.p4"], 'the input file "none.p4" does not exist'),
        (["--p4runtime-files", "x.proto", "prog.p4"], "files for P4Runtime have one of the suffixes"),
    ],
)
@pytest.mark.parametrize("command", [p4c.driver, p4c.compiler])
def test_what_cannot_be_is_one_line(
    folder: Path, command: Command, arguments: list[str], message: str, capsys: pytest.CaptureFixture
) -> None:
    with pytest.raises(SystemExit) as end:
        command(arguments)
    assert end.value.code == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_diagnostics_are_passed_as_p4c_spells_them(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[str]] = []
    monkeypatch.setattr(p4c, "compile_file", lambda job, _: seen.append(job.diagnostics) or 0)
    assert p4c.compiler(["--Wdisable", "--Werror=unused,shadow", "prog.p4"]) == 0
    assert p4c.compiler(["--Wdisable=unused", "prog.p4"]) == 0
    assert seen == [["--Wdisable=all", "--Werror=unused", "--Werror=shadow"], ["--Wdisable=unused"]]


@pytest.mark.parametrize(
    ("command", "option", "output"),
    [
        ("p4c", "--version", "p4c of Quench"),
        ("p4c-bm2-ss", "--version", "p4c-bm2-ss\nVersion of Quench"),
        ("p4c", "--target-help", "bmv2-v1model"),
        ("p4c", "--help", "--p4runtime-files"),
    ],
)
def test_what_the_commands_say_of_themselves(
    command: str, option: str, output: str, capsys: pytest.CaptureFixture
) -> None:
    try:
        assert (p4c.driver if command == "p4c" else p4c.compiler)([option]) == 0
    except SystemExit as end:
        assert end.code == 0
    assert output in capsys.readouterr().out


# As tutorials/utils/p4runtime_switch.py and behavioral-model/mininet/p4_mininet.py write them.
GRPC_LINE = (
    "-i 1@s1-eth1 -i 2@s1-eth2 --pcap {pcap} --nanolog ipc:///tmp/bm-0-log.ipc --device-id 0 {json} --log-console "
    "--thrift-port 9091 --notifications-addr ipc:///tmp/n.ipc "
    "-- --grpc-server-addr 0.0.0.0:50051 --cpu-port 255 --priority-queues 3"
)
THRIFT_LINE = "-i 1@s1-eth1 --pcap --thrift-port 9092 --nanolog ipc:///x --device-id 4 {json} --debugger --log-console"


def test_mininet_scripts_lines(folder: Path) -> None:
    (folder / "prog.json").write_text("{}")
    line = GRPC_LINE.format(pcap=folder / "include", json="prog.json")
    words, ignored = simple_switch.switch_arguments("simple_switch_grpc", line.split())
    assert words[:4] == ["--interface", "1@s1-eth1", "--interface", "2@s1-eth2"]
    assert f"--pcap={folder / 'include'}" in words
    pairs = list(pairwise(words))
    for pair in (
        ("--grpc-server-addr", "0.0.0.0:50051"),
        ("--cpu-port", "255"),
        ("--priority-queues", "3"),
        ("--device-id", "0"),
        ("--thrift-addr", "127.0.0.1:9091"),
        ("--notifications-addr", "ipc:///tmp/n.ipc"),
    ):
        assert pair in pairs
    assert words[-2:] == ["--", "prog.json"]
    assert "--log-console" in words
    assert ignored == ["--nanolog"]

    words, ignored = simple_switch.switch_arguments("simple_switch", THRIFT_LINE.format(json="prog.json").split())
    assert "--pcap=." in words
    assert ("--thrift-addr", "127.0.0.1:9092") in list(pairwise(words))
    assert ignored == ["--nanolog", "--debugger"]


@pytest.mark.parametrize("program", ["simple_switch", "simple_switch_grpc"])
def test_who_may_use_thrift_is_passed_on(program: str) -> None:
    line = "--no-p4 --thrift-port 9093 --allow-interface veth* -- --thrift-allow-users alice,7 --allow-interface s1-*"
    words, ignored = simple_switch.switch_arguments(program, line.split())
    given = [pair for pair in pairwise(words) if pair[0] in ("--thrift-allow-users", "--allow-interface")]
    assert given == [("--thrift-allow-users", "alice,7"), ("--allow-interface", "veth*"), ("--allow-interface", "s1-*")]
    assert ignored == []


def test_pcap_without_a_folder_before_the_program(folder: Path) -> None:
    (folder / "prog.json").write_text("{}")
    words, _ = simple_switch.switch_arguments("simple_switch", ["--pcap", "prog.json"])
    assert "--pcap=." in words
    assert words[-1] == "prog.json"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--no-p4 --use-files 3", "--use-files is not supported"),
        ("--no-p4 --load-modules x.so", "--load-modules is not supported"),
        ("--no-p4 --dp-grpc-server-addr x:1", "--dp-grpc-server-addr is not supported"),
        ("--no-p4 --nonsense", "unrecognized arguments"),
        ("--no-p4 --pcap nowhere", "there is no such folder"),
        ("", "specify an input JSON"),
    ],
)
def test_lines_that_the_switch_refuses(folder: Path, line: str, message: str, capsys: pytest.CaptureFixture) -> None:
    with pytest.raises(SystemExit) as end:
        simple_switch.switch_arguments("simple_switch_grpc", line.split())
    assert end.value.code == 2
    assert message in capsys.readouterr().err


def test_options_of_the_grpc_target_are_not_simple_switchs(capsys: pytest.CaptureFixture) -> None:
    with pytest.raises(SystemExit):
        simple_switch.switch_arguments("simple_switch", ["--no-p4", "--cpu-port", "255"])
    assert "--cpu-port" in capsys.readouterr().err


def test_a_second_switch_without_a_thrift_port_has_none(capsys: pytest.CaptureFixture) -> None:
    with socket.socket() as first:
        try:
            first.bind(("127.0.0.1", simple_switch.DEFAULT_THRIFT_PORT))
        except OSError:
            pytest.skip("another program has BMv2's default port")
        first.listen()
        words, _ = simple_switch.switch_arguments("simple_switch_grpc", ["--no-p4"])
    assert "--thrift-addr" not in words
    assert "port 9090 is in use" in capsys.readouterr().err
    words, _ = simple_switch.switch_arguments("simple_switch_grpc", ["--no-p4"])
    assert "--thrift-addr" in words


def test_commands_of_other_programs_are_not_overwritten(tmp_path: Path) -> None:
    commands.write(tmp_path)
    commands.write(tmp_path)
    (tmp_path / "p4c").write_text("another\n")
    with pytest.raises(commands.ForeignFileError, match="p4c: exists and was not written by quench toolchain"):
        commands.write(tmp_path)
    assert (tmp_path / "p4c").read_text() == "another\n"


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    folder = tmp_path / "a folder's $tools"
    subprocess.run(
        [sys.executable, "-c", "from quench_switch.cli.entry import main; main()", "toolchain", folder],
        check=True,
        capture_output=True,
        timeout=TIMEOUT_S,
    )
    return folder


@pytest.fixture
def switch_port(folder: Path, tools: Path) -> Iterator[int]:
    """The Thrift port of a running simple_switch."""
    subprocess.run([tools / "p4c-bm2-ss", *DEFINED, "-o", "prog.json", "prog.p4"], check=True, timeout=TIMEOUT_S)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [tools / "simple_switch", "prog.json", "--thrift-port", str(port), "--log-console"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "Thrift on port" in line:
                break
        yield port
        process.terminate()
        process.stdout.read()
        assert process.wait(TIMEOUT_S) == 0


def test_a_users_script_compiles_runs_and_commands_a_switch(tools: Path, switch_port: int) -> None:
    assert sorted(path.name for path in tools.iterdir()) == sorted(commands.COMMANDS)
    assert all(os.access(path, os.X_OK) for path in tools.iterdir())
    lines = """\
table_set_default I.ports NoAction
table_add ports I.send 1 => 2
table_add ports I.send 1 => 3
table_modify ports
nonsense
table_add ports I.send 0x2 => 3
table_dump ports
table_num_entries ports
register_write seen 2 77
register_read seen 2
set_queue_depth 10 1 5
mc_mgrp_create 1
mirroring_add 4 2
mirroring_get 4
help table_add
"""
    result = subprocess.run(
        [tools / "simple_switch_CLI", "--thrift-port", str(switch_port)],
        input=lines,
        capture_output=True,
        text=True,
        check=True,
        timeout=TIMEOUT_S,
    )
    assert result.stderr == ""
    for text in (
        "Entry has been added with handle 0",
        "Invalid table operation (DUPLICATE_ENTRY)",
        "Entry has been added with handle 1",
        "Action entry: I.send - 02",
        "Unknown syntax: nonsense",
        "seen[2]= 77",
        "Error: priority 5: the switch has 1 queues for each port",
        "MirroringSessionConfig(port=2, mgid=None)",
        "Add entry to a match table",
    ):
        assert text in result.stdout
