# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench compile``: what checking, the older v1model and large programs mean on the command line."""

from pathlib import Path

import pytest
from quench_switch.cli.app import app
from quench_switch.outside.files import PROGRAM_BYTES
from typer.testing import CliRunner

ROOT = Path(__file__).resolve().parents[4]
TWICE = ROOT / "softswitch" / "tests" / "tna" / "parsing" / "parsing.p4"
OLD_CALLS = """#include <core.p4>
#include <v1model.p4>
struct H { }
struct M { bit<8> kept; }
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) { state start { transition accept; } }
control V(inout H h, inout M m) { apply { } }
control I(inout H h, inout M m, inout standard_metadata_t s) {
    apply { if (s.ingress_port == 1) mark_to_drop(); else resubmit({ m.kept }); }
}
control E(inout H h, inout M m, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in H h) { apply { } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
"""
OLD_APPLY = "apply { if (s.ingress_port == 1) mark_to_drop(); else resubmit({ m.kept }); }"


def run(*arguments: str) -> tuple[int, str]:
    """Status and stderr."""
    done = CliRunner().invoke(app, ["compile", *arguments], prog_name="quench-switch")
    return done.exit_code, done.stderr


def test_checking_refuses_what_compiling_refuses(tmp_path: Path) -> None:
    source = tmp_path / "t.p4"
    deposit = "udp_checksum.subtract_all_and_deposit(md.rest);"
    text = TWICE.read_text()
    assert deposit in text
    source.write_text(text.replace(deposit, deposit * 2))
    arguments = ["--arch", "tna", "-I", str(TWICE.parent), str(source)]
    checked = run("--check", *arguments)
    assert checked == run("-o", str(tmp_path / "out"), *arguments)
    assert checked[0] == 1
    assert "error: not supported: a packet for which subtract_all_and_deposit" in checked[1]
    assert list(tmp_path.iterdir()) == [source]


def test_checking_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("--check", "--Wdisable", "--arch", "tna", str(TWICE)) == (0, "")
    assert not list(tmp_path.iterdir())


def test_calls_that_p4c_took_out(tmp_path: Path) -> None:
    source = tmp_path / "old.p4"
    source.write_text(OLD_CALLS)
    status, said = run("--check", str(source))
    assert (status, said.count(" error: ")) == (1, 1)
    assert "write mark_to_drop(standard_metadata), or compile with --v1model-2021" in said
    status, said = run("--v1model-2021", "-o", str(tmp_path), str(source))
    assert status == 0
    assert "`resubmit` is deprecated: " in said
    assert (tmp_path / "old.json").exists()
    status, said = run("--v1model-2021", "--arch", "tna", str(source))
    assert (status, said) == (2, "quench-switch compile: --v1model-2021 is for --arch v1model: leave one of them out\n")


def test_a_json_that_the_switch_does_not_load_is_a_warning(tmp_path: Path) -> None:
    source = tmp_path / "entries.p4"
    for count, problem in ((10, ""), (60_000, f"bytes of JSON; at most {PROGRAM_BYTES} are supported; give the")):
        entries = "".join(f"{number}: stay();\n" for number in range(count))
        table = f"action stay() {{}} table t {{ key = {{ m.kept: exact; }} const entries = {{ {entries} }} }}"
        table = table.replace("const entries", "actions = { stay; } const entries")
        source.write_text(
            OLD_CALLS.replace("bit<8> kept", "bit<32> kept").replace(OLD_APPLY, f"{table} apply {{ t.apply(); }}")
        )
        status, said = run("--Wdisable", "-q", "-o", str(tmp_path), str(source))
        assert status == 0
        assert problem in said
        warnings = [f"{source}: warning: by the embedded switch the program cannot be loaded: ", "1 warning"]
        assert len(said.splitlines()) == (len(warnings) if problem else 0)
        assert all(line.startswith(start) for line, start in zip(said.splitlines(), warnings, strict=False))
