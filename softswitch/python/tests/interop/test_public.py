# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The runner of public programs, on a checkout of a few, and the page of what it says."""

import subprocess
import sys
from pathlib import Path

import pytest
from quench_interop import public
from quench_interop.public_behaviour import TESTS
from quench_interop.public_ciphers import half_sip_hash, round_keys, substitutions
from quench_interop.public_packets import internet_sum, ipv4

ROOT = Path(__file__).parents[4]

FORWARD = """\
#include <core.p4>
#include <v1model.p4>
#include "headers.p4"
parser P(packet_in p, out headers h, inout metadata m, inout standard_metadata_t s) {
    state start { p.extract(h.ethernet); p.extract(h.ipv4); transition accept; }
}
control V(inout headers h, inout metadata m) { apply {} }
control I(inout headers h, inout metadata m, inout standard_metadata_t s) {
    action ipv4_forward(bit<48> dstAddr, bit<9> port) { h.ethernet.dstAddr = dstAddr; s.egress_spec = port; }
    table ipv4_lpm { key = { h.ipv4.dstAddr: lpm @name("hdr.ipv4.dstAddr"); } actions = { ipv4_forward; } }
    apply { if (s.enq_qdepth == 0) { ipv4_lpm.apply(); } }
}
control E(inout headers h, inout metadata m, inout standard_metadata_t s) {
    apply { if (s.enq_qdepth > LIMIT) { mark_to_drop(s); } }
}
control C(inout headers h, inout metadata m) { apply {} }
control D(packet_out p, in headers h) { apply { p.emit(h); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
"""
HEADERS = """\
header ethernet_t { bit<48> dstAddr; bit<48> srcAddr; bit<16> etherType; }
header ipv4_t { bit<128> before; bit<32> dstAddr; }
struct headers { ethernet_t ethernet; ipv4_t ipv4; }
struct metadata {}
"""
GENERATOR = """\
import pathlib, sys
pathlib.Path(sys.argv[2]).write_text(pathlib.Path(sys.argv[1]).read_text().replace("LIMIT", "56"))
"""


def git(folder: Path, *words: str) -> str:
    command = ["git", "-C", str(folder), "-c", "user.name=n", "-c", "user.email=e", *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def checkouts(tmp_path: Path) -> Path:
    """A checkout ``someone/queue`` with a program in two folders, and a generator of it."""
    root = tmp_path / "public" / "someone" / "queue"
    for name, text in {
        "p4/red.p4": FORWARD,
        "p4/wrong.p4": "control {",
        "h/headers.p4": HEADERS,
        "gen.py": GENERATOR,
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "programs")
    return tmp_path / "public"


class Runner:
    """The runner with declarations."""

    def __init__(self, checkouts: Path) -> None:
        self.checkouts = checkouts
        self.revision = git(checkouts / "someone" / "queue", "rev-parse", "HEAD")

    def run(self, *entries: str, revision: str = "", options: tuple[str, ...] = ()) -> tuple[int, list[str]]:
        """The status and the lines of a run with entries of the checkout's repository."""
        head = f'[revisions]\n"someone/queue" = "{revision or self.revision}"\n'
        common = '[[program]]\nrepository = "someone/queue"\ninclude = ["h"]\narchitecture = "v1model"\n'
        declared = self.checkouts.parent / "declared.toml"
        declared.write_text(head + "".join(f"{common}{entry}\n" for entry in entries))
        command = [sys.executable, "-m", "quench_interop.public", str(self.checkouts), "--declared", str(declared)]
        done = subprocess.run([*command, *options], cwd=ROOT, capture_output=True, text=True, check=False)
        return done.returncode, (done.stdout + done.stderr).splitlines()


@pytest.fixture
def runner(checkouts: Path) -> Runner:
    return Runner(checkouts)


RED = 'path = "p4/red.p4"\ndefine = ["LIMIT=56"]\n'
TESTED = f'{RED}test = "red64"\ndoes = "in part"\n'


def test_programs_that_are_as_declared(runner: Runner) -> None:
    generated = 'path = "p4/red.p4"\ngenerator = ["gen.py", "p4/red.p4", "{output}"]\n'
    refused = 'path = "p4/wrong.p4"\nrefused = "^expected"\n'
    status, lines = runner.run(TESTED, generated, refused)
    assert lines == [
        "as declared  tested    someone/queue p4/red.p4",
        "as declared  loads     someone/queue p4/red.p4",
        "as declared  refused   someone/queue p4/wrong.p4",
        "3 programs, 0 of them not as declared",
    ]
    assert status == 0


@pytest.mark.parametrize(
    ("entry", "row", "reason"),
    [
        (TESTED.replace("56", "40"), "loads", "red64, machine code, line "),
        (f'{RED}refused = "x"\n', "compiles", "compiles, and is declared as refused"),
        (f'{RED}does_not_load = "x"\n', "loads", "loads, and is declared not to"),
        ('path = "p4/wrong.p4"\n', "refused", "is refused: expected"),
        ('path = "p4/wrong.p4"\nrefused = "T2NA"\n', "refused", "is refused otherwise: expected"),
        ('path = "p4/gone.p4"\n', "missing", "no file "),
        (
            'path = "p4/red.p4"\ngenerator = ["gen.py", "nothing", "{output}"]\n',
            "missing",
            "gen.py ended with 1: FileNotFound",
        ),
    ],
)
def test_what_differs_is_a_row_and_a_reason(runner: Runner, entry: str, row: str, reason: str) -> None:
    status, lines = runner.run(entry)
    assert status == 1
    assert lines[0].split()[:2] == ["NO", row]
    assert lines[1].strip().startswith(reason)
    assert lines[2:] == ["1 programs, 1 of them not as declared"]


def test_a_missing_checkout_is_named_with_the_command_that_fetches_it(runner: Runner) -> None:
    (runner.checkouts / "someone").rename(runner.checkouts / "nobody")
    status, lines = runner.run(RED)
    assert status == 1
    assert "git clone https://github.com/someone/queue" in lines[1]


def test_another_revision_is_a_difference(runner: Runner) -> None:
    status, lines = runner.run(RED, revision="1" * 40)
    assert status == 1
    assert lines[1].strip() == f"revision {runner.revision}, not {'1' * 40}: git checkout {'1' * 40}"


def test_only_the_named_programs_run(runner: Runner) -> None:
    _, lines = runner.run(RED, 'path = "p4/wrong.p4"\n', options=("--only", "red.p4"))
    assert lines[-1] == "1 programs, 0 of them not as declared"
    status, _ = runner.run(RED, options=("--only", "blue"))
    assert status == 2


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (f'{RED}test = "no"\ndoes = "yes"\n', "no test no: one of"),
        (f'{RED}does = "yes"\n', "does is 'yes', and the test is none"),
        (f'{RED}refused = "x"\ntest = "red64"\ndoes = "yes"\n', "a program that does not run has no test"),
        (f"{RED}colour = 1\n", "program.0.colour: Extra inputs"),
        (f"{RED}path = 1\n", "Cannot overwrite a value"),
    ],
)
def test_wrong_declarations_are_one_line(runner: Runner, entry: str, message: str) -> None:
    status, lines = runner.run(entry)
    assert status == 2
    assert len(lines) == 1
    assert lines[0].startswith("public: ")
    assert message in lines[0]


def test_the_page_has_the_table_and_the_counts() -> None:
    declarations = public.read_declarations(public.DECLARATIONS)
    page = (ROOT / "softswitch" / "docs" / "public-programs.md").read_text()
    assert "\n".join(public.table(declarations)) in page
    assert public.counts(declarations) in page.replace("\n", " ")
    assert {program.test for program in declarations.program} == {*TESTS, None}
    programs, repositories = len(declarations.program), len(declarations.revisions)
    summary = (ROOT / "docs" / "validation.md").read_text()
    assert f"{programs} programs of {repositories} public repositories" in summary
    tested = sum(program.test is not None for program in declarations.program)
    assert f"the {tested} with a test of ours pass it" in summary


def test_the_numbers_of_the_tests_are_those_of_the_standards() -> None:
    assert internet_sum(ipv4(b"abcd", 17)[:20]) == 0
    box = substitutions()
    assert (box[0x00], box[0x53], sorted(box)) == (0x63, 0xED, list(range(256)))  # FIPS 197, 5.1.1
    key = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
    assert round_keys(key, box)[43].hex() == "b6630ca6"  # FIPS 197, A.1
    key_words = (0x03020100, 0x07060504)
    hashes = [half_sip_hash(key_words, [word]).to_bytes(4, "little").hex() for word in (0, 0x01000000)]
    assert hashes == ["a9359f5b", "27475ab8"]  # the reference's first vectors: no byte, and the byte 0
