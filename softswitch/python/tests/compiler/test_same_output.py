# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A program has one output: nothing depends on the order of a hash table, which differs from process to process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SOFTSWITCH = Path(__file__).parents[3]
FOLDERS = ("tests", "python/tests")
PROGRAMS = [str(path) for folder in FOLDERS for path in sorted((SOFTSWITCH / folder).rglob("*.p4"))]
SCRIPT = """
import hashlib, sys
from quench_switch import CompileError, compile_p4, preprocess_p4

for path in sys.stdin.read().splitlines():
    for arch in ("v1model", "v1model-2021", "tna"):
        found = hashlib.sha256()
        try:
            found.update(preprocess_p4(path, arch=arch).encode())
            output = compile_p4(path, arch=arch, warnings=["warn=branch"])
            texts = [output.json, output.p4info_text, output.entries_text, *output.warnings]
            binaries = [output.p4info_binary, output.entries_binary]
        except CompileError as error:
            texts, binaries = error.diagnostics, []
        for part in [*(text.encode() for text in texts), *binaries]:
            found.update(hashlib.sha256(part).digest())
        print(found.hexdigest(), arch, path)
"""
TIMEOUT_S = 300


def outputs() -> list[str]:
    """A line for each program and architecture, with the digest of all that the compiler prints and writes."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input="\n".join(PROGRAMS),
        capture_output=True,
        text=True,
        check=True,
        timeout=TIMEOUT_S,
    )
    return done.stdout.splitlines()


def test_two_processes_give_the_same_output() -> None:
    first, second = outputs(), outputs()
    assert len(first) == 3 * len(PROGRAMS) > 600
    assert first == second


def test_the_note_of_a_covered_entry_is_that_of_the_first(tmp_path: Path) -> None:
    entries = " ".join(f"{(1 << bits) - 1} &&& {(1 << bits) - 1}: f({bits});" for bits in range(1, 8))
    source = tmp_path / "t.p4"
    source.write_text(COVERED.replace("ENTRIES", f"{entries} 255: f(8);"))
    script = "import sys; from quench_switch import compile_p4; print(compile_p4(sys.argv[1]).warnings)"
    command = [sys.executable, "-c", script, str(source)]
    runs = {subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(5)}
    assert len(runs) == 1


COVERED = """#include <core.p4>
#include <v1model.p4>
header I { bit<8> a; }
struct H { I i; }
struct M { }
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {
    state start { p.extract(h.i); transition accept; }
}
control C(inout H h, inout M m) { apply { } }
control In(inout H h, inout M m, inout standard_metadata_t s) {
    action f(bit<9> x) { s.egress_spec = x; }
    table t {
        key = { h.i.a: ternary; }
        actions = { f; }
        const default_action = f(0);
        const entries = { ENTRIES }
    }
    apply { t.apply(); }
}
control Eg(inout H h, inout M m, inout standard_metadata_t s) { apply { } }
control Dep(packet_out b, in H h) { apply { b.emit(h); } }
V1Switch(P(), C(), In(), Eg(), C(), Dep()) main;
"""
