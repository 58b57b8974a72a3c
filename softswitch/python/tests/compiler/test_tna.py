# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench compile --arch tna``: programs for Tofino are checked, or compiled for the embedded switch."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import quench_switch.tna.barefoot  # noqa: F401 (declares messages)
from finsy.proto import p4i as p4info_pb2
from google.protobuf import descriptor_pool, text_format
from quench_switch import CompileError, compile_p4

TNA = Path(__file__).parents[3] / "tests" / "tna"
ONE_OF_EACH = Path(__file__).parents[1] / "p4runtime" / "programs" / "tofino.p4"
QUENCH = "from quench_switch.cli.app import main; main()"


def quench_compile(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", QUENCH, "compile", *(str(argument) for argument in arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)


def test_a_correct_program_passes_without_a_word(tmp_path: Path) -> None:
    done = quench_compile("--arch", "tna", "--check", "--Wdisable", TNA / "registers" / "registers.p4", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not list(tmp_path.iterdir())


def test_a_broken_rule_is_an_error_with_its_place(tmp_path: Path) -> None:
    program = TNA / "errors" / "register_twice.p4"
    done = quench_compile("--arch", "tna", "--check", program, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.splitlines()[0] == (
        f"{program}:29:9: error: register `pipe.Ingress.cells` is accessed twice on one path: "
        "Tofino allows one access for each packet"
    )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("source", "table"),
    [(TNA / "language" / "controls.p4", "pipe.Ingress.use.reads"), (ONE_OF_EACH, "pipe.Ingress.chosen")],
)
def test_json_and_p4info_are_written_and_have_the_same_names(source: Path, table: str, tmp_path: Path) -> None:
    done = quench_compile("--arch", "tna", source, "-o", tmp_path)
    program, info = tmp_path / f"{source.stem}.json", tmp_path / f"{source.stem}.p4info.txtpb"
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.splitlines() == [f"wrote {path} ({path.stat().st_size} bytes)" for path in (program, info)]
    assert json.loads(program.read_text())["__meta__"]["architecture"] == "tna"
    parsed = text_format.Parse(info.read_text(), p4info_pb2.P4Info())
    # protobuf itself writes the same text.
    pool = descriptor_pool.Default()
    assert text_format.MessageToString(parsed, descriptor_pool=pool) == info.read_text().partition("\n\n")[2]
    assert parsed.pkg_info.arch == "tna"
    names = {table.preamble.name for table in parsed.tables}
    assert table in names
    # The JSON has the same names: a switch finds objects by them.
    pipelines = json.loads(program.read_text())["pipelines"]
    assert names <= {table["name"] for pipeline in pipelines for table in pipeline["tables"]}


def test_binary_p4info_has_the_objects_of_tna_as_externs(tmp_path: Path) -> None:
    info, as_json, entries = tmp_path / "info.bin", tmp_path / "info.json", tmp_path / "entries.txtpb"
    done = quench_compile(
        *("--arch", "tna", "--Wdisable", "--quiet", TNA / "registers" / "registers.p4", "-o", tmp_path),
        *("--p4runtime-files", info, "--p4runtime-files", as_json, "--p4runtime-entries-files", entries),
    )
    assert (done.returncode, done.stderr) == (0, "")
    externs = p4info_pb2.P4Info.FromString(info.read_bytes()).externs
    kinds = {extern.extern_type_name: extern for extern in externs}
    register = kinds["Register"].instances[0]
    assert register.preamble.id >> 24 == kinds["Register"].extern_type_id == 0x8B
    assert register.preamble.name.startswith("pipe.Ingress.")
    assert register.info.type_url == "type.googleapis.com/barefoot.Register"
    assert {"PortMetadata", "Snapshot"} <= set(kinds)
    in_json = {extern["externTypeName"]: extern for extern in json.loads(as_json.read_text())["externs"]}
    assert in_json["PortMetadata"]["instances"][0]["info"]["keyName"] == "ig_intr_md"
    assert entries.read_text().startswith("# proto-file: p4/v1/p4runtime.proto\n")


def test_options_reach_the_check(tmp_path: Path) -> None:
    (tmp_path / "given.p4").write_text(f'#include "{TNA / "include" / "frame.p4"}"\n')
    (tmp_path / "program.p4").write_text(
        "#include <given.p4>\n#ifndef WANTED\n#error not defined\n#endif\n"
        "#ifdef UNWANTED\n#error defined\n#endif\nconst bit<8> width = __TARGET_TOFINO__;\n"
    )
    options = ["-I", tmp_path, "-D", "WANTED", "-D", "UNWANTED=1", "-U", "UNWANTED"]
    done = quench_compile("--arch", "tna", "--check", *options, tmp_path / "program.p4")
    assert "error: the program has no `main`" in done.stderr
    text = quench_compile("--arch", "tna", "-E", *options, tmp_path / "program.p4").stdout
    assert "const bit<8> width = 1;" in text


def test_v1model_is_the_default_and_can_be_checked_too(tmp_path: Path) -> None:
    correct = TNA.parent / "programs" / "externs" / "registers.p4"
    done = quench_compile("--check", correct, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    wrong = TNA.parent / "errors" / "clone_in_wrong_pipeline.p4"
    done = quench_compile("--arch", "v1model", "--check", wrong, cwd=tmp_path)
    assert done.returncode == 1
    assert f"{wrong}:" in done.stderr
    done = quench_compile("--check", TNA / "registers" / "registers.p4", cwd=tmp_path)
    assert "tna.p4 is for Tofino 1: choose it with --arch tna" in done.stderr
    assert not list(tmp_path.iterdir())


def test_the_module_gives_the_diagnostics() -> None:
    assert compile_p4(str(TNA / "tables" / "tables.p4"), arch="tna", warnings=["disable=all"]).warnings == []
    with pytest.raises(CompileError) as caught:
        compile_p4(str(TNA / "errors" / "range_key.p4"), arch="tna", warnings=["disable=all"])
    assert len(caught.value.diagnostics) == 1
    with pytest.raises(ValueError, match="unknown architecture 'psa'; use v1model, v1model-2021 or tna"):
        compile_p4(str(TNA / "tables" / "tables.p4"), arch="psa")
