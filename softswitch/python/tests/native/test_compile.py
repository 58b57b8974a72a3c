# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The compiler as Python sees it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from finsy.proto import p4i
from google.protobuf import text_format
from quench_switch import CompileError, CompileOutput, compile_p4, preprocess_p4


def test_the_three_outputs_describe_the_same_program(program_path: Path) -> None:
    output = compile_p4(str(program_path))
    program = json.loads(output.json)
    binary = p4i.P4Info.FromString(output.p4info_binary)
    assert binary == text_format.Parse(output.p4info_text, p4i.P4Info())
    tables = {table["name"] for pipeline in program["pipelines"] for table in pipeline["tables"]}
    assert "MyIngress.routes" in {table.preamble.name for table in binary.tables} <= tables
    assert isinstance(output.p4info_binary, bytes)


def test_macros_and_include_folders_reach_the_program(program_path: Path, tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "sizes.p4").write_text("#define REGISTER_SIZE 32\n")
    (tmp_path / "outer.p4").write_text(f'#include "sizes.p4"\n#include "{program_path}"\n')

    def size(output: CompileOutput) -> int:
        return int(json.loads(output.json)["register_arrays"][0]["size"])

    path, defines = str(program_path), ["REGISTER_SIZE=16"]
    assert size(compile_p4(path)) == 8
    assert size(compile_p4(path, defines=defines)) == 16
    assert size(compile_p4(path, defines=defines, undefines=["REGISTER_SIZE"])) == 8
    assert size(compile_p4(str(tmp_path / "outer.p4"), include_dirs=[str(tmp_path / "inner")])) == 32


def test_the_preprocessor_alone(tmp_path: Path) -> None:
    source = tmp_path / "a.p4"
    source.write_text("#ifdef WIDE\nconst bit<32> x = VALUE;\n#else\nconst bit<8> x = 1;\n#endif\n")
    assert "const bit<8> x = 1;" in preprocess_p4(str(source))
    assert "const bit<32> x = 7;" in preprocess_p4(str(source), defines=["WIDE", "VALUE=7"])
    assert "const bit<8> x = 1;" in preprocess_p4(str(source), defines=["WIDE"], undefines=["WIDE"])


def test_an_error_says_where_and_shows_the_line(tmp_path: Path) -> None:
    source = tmp_path / "wrong.p4"
    source.write_text("const bit<8> x = 1;\nconst bit<8> y = unknown;\n")
    with pytest.raises(CompileError) as caught:
        compile_p4(str(source))
    first = caught.value.diagnostics[0]
    assert first.startswith(f"{source}:2:18: error: ")
    assert first.splitlines()[1].strip() == "const bit<8> y = unknown;"
    assert "^" in first.splitlines()[2]
    assert str(caught.value) == "\n".join(caught.value.diagnostics)


def test_a_missing_file_and_an_unknown_standard(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match=r"absent\.p4"):
        compile_p4(str(tmp_path / "absent.p4"))
    with pytest.raises(CompileError, match=r"absent\.p4"):
        preprocess_p4(str(tmp_path / "absent.p4"))
    with pytest.raises(ValueError, match="p4-99"):
        compile_p4(str(tmp_path / "absent.p4"), std="p4-99")
