# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The largest size of a program's JSON, and the memory that reading it takes at these limits."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from quench_switch._native import Program, check_program_size, compile_p4
from quench_switch.errors import DataPlaneError
from quench_switch.outside.files import PROGRAM_BYTES

MOST_VALUES = 1 << 20
READING_BYTES = 128 << 20
"""softswitch/docs/embedded-switch.md names less, as measured."""

PROGRAM = """
#include <v1model.p4>
header h_t {{ bit<8> a; bit<32> b; bit<32> c; }}
struct headers_t {{ h_t h; }}
struct metadata_t {{}}
parser Parse(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {{
    state start {{ packet.extract(hdr.h); transition accept; }}
}}
control NoVerify(inout headers_t hdr, inout metadata_t meta) {{ apply {{}} }}
control Entries(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {{
    action put(bit<32> value) {{ hdr.h.c = value; std.egress_spec = 2; }}
    table boxes {{
        key = {{ hdr.h.a: exact; hdr.h.b: exact; }}
        actions = {{ put; }}
        const entries = {{
{entries}
        }}
    }}
    apply {{ boxes.apply(); }}
}}
control Nothing(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {{ apply {{}} }}
control NoCompute(inout headers_t hdr, inout metadata_t meta) {{ apply {{}} }}
control Emit(packet_out packet, in headers_t hdr) {{ apply {{ packet.emit(hdr.h); }} }}
V1Switch(Parse(), NoVerify(), Entries(), Nothing(), NoCompute(), Emit()) main;
"""

MEASURE = """
import sys
from pathlib import Path
from quench_switch._native import Program
from quench_switch.errors import DataPlaneError
def status(name):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name))
text = Path(sys.argv[1]).read_text()
before = status("VmRSS")
Path("/proc/self/clear_refs").write_text("5")
try:
    Program(text, interpreted=True)
except DataPlaneError:
    pass
print(status("VmHWM") - before)
"""


def reading_bytes(path: Path, text: str) -> int:
    """The peak of a process over what it had before, with the program at the end."""
    path.write_text(text)
    run = subprocess.run([sys.executable, "-c", MEASURE, path], check=True, capture_output=True, text=True, timeout=120)
    return int(run.stdout) << 10


def with_entries(tmp_path: Path, count: int) -> str:
    """The JSON of a program with so many constant entries, as the compiler writes it."""
    lines = (f"(8w{number >> 8 & 255}, 32w{number}): put(32w{number * 65_537 % 2**32});" for number in range(count))
    source = tmp_path / "entries.p4"
    source.write_text(PROGRAM.format(entries="\n".join(lines)))
    return compile_p4(str(source)).json


def test_a_program_with_40_000_constant_entries_is_loaded(tmp_path: Path) -> None:
    text = with_entries(tmp_path, 40_000)
    assert 25_000_000 < len(text) <= PROGRAM_BYTES
    check_program_size(text)
    (table,) = Program(text, interpreted=True).info()["tables"]
    assert table["size"] >= 40_000
    assert reading_bytes(tmp_path / "entries.json", text) < READING_BYTES


def test_the_loader_and_the_reader_of_files_have_one_limit() -> None:
    text = "{}".ljust(PROGRAM_BYTES)
    check_program_size(text)
    for refused in (check_program_size, Program):
        with pytest.raises(DataPlaneError, match=f"{PROGRAM_BYTES + 1} bytes of JSON; at most {PROGRAM_BYTES} are"):
            refused(text + " ")


def listed(value: str, values_each: int, pattern: str) -> Callable[[], str]:
    """A list of all the values that fit, in place of ``@`` of a JSON."""
    return lambda: pattern.replace("@", ",".join([value] * ((MOST_VALUES - 100) // values_each)))


IN_PRIMITIVE = '{"actions": [{"name": "a", "id": 0, "primitives": [{"op": "x", "parameters": [@]}]}]}'
IN_PARSER = '{"parsers": [{"name": "p", "parse_states": [@]}]}'


@pytest.mark.parametrize(
    "text_of",
    [
        listed("0", 1, IN_PRIMITIVE),
        listed('"abcdefgh"', 1, IN_PRIMITIVE),
        listed("{}", 2, IN_PRIMITIVE),
        listed("[0]", 2, IN_PRIMITIVE),
        listed('{"":0}', 2, IN_PRIMITIVE),
        listed('{"a":{"a":{"a":{"a":0}}}}', 5, IN_PRIMITIVE),
        listed("[" * 900 + "]" * 900, 901, IN_PRIMITIVE),
        listed("[" * 900 + "0" + "]" * 900, 901, IN_PRIMITIVE),
        listed('{"name":"","transitions":[{}]}', 5, IN_PARSER),
        listed('{"name":"","transition_key":[{"type":""}]}', 5, IN_PARSER),
    ],
    ids=[
        "numbers",
        "texts",
        "objects",
        "lists",
        "members",
        "nested members",
        "deep",
        "deep numbers",
        "states",
        "keys",
    ],
)
def test_a_hostile_json_takes_limited_memory(tmp_path: Path, text_of: Callable[[], str]) -> None:
    text = text_of()
    check_program_size(text)
    assert reading_bytes(tmp_path / "hostile.json", text) < READING_BYTES


@pytest.mark.parametrize(("value", "values_each"), [("[" * 120 + "]" * 120, 121), ('{"":0}', 2)])
def test_what_follows_a_fields_width_takes_limited_memory(tmp_path: Path, value: str, values_each: int) -> None:
    program = json.loads(with_entries(tmp_path, 1))
    (fields,) = [kind["fields"] for kind in program["header_types"] if kind["name"] == "h_t"]
    fields[0] = [*fields[0][:2], False, False, ["@"]]
    text = json.dumps(program)
    assert Program(text, interpreted=True).header_types()
    count = (MOST_VALUES - 2000) // values_each
    text = text.replace('"@"', ",".join([value] * count))
    check_program_size(text)
    assert reading_bytes(tmp_path / "hostile.json", text) < READING_BYTES


def test_more_values_or_levels_are_refused() -> None:
    numbers = "[" + "0," * (MOST_VALUES - 2) + "0]"
    check_program_size(numbers)
    for text, problem in [
        (numbers.replace("0]", "0,0]"), f"{MOST_VALUES + 1} JSON values; at most {MOST_VALUES} are"),
        ("[" * 1001 + "]" * 1001, "1001 levels of JSON"),
    ]:
        with pytest.raises(DataPlaneError, match=problem):
            check_program_size(text)
