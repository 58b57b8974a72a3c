# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Keys and parameters of the type ``bit<0>``, whose only value is 0."""

from pathlib import Path

from finsy import GRPCStatusCode as Code
from finsy.proto import p4i, p4r
from google.protobuf import text_format
from p4runtime_lab import Names
from quench_switch._native import compile_p4

PROGRAM = Path(__file__).parents[4] / "tests/programs/values/zero_bits.p4"


def test_an_entry_is_written_and_read(client, match):
    output = compile_p4(str(PROGRAM))
    info = text_format.Parse(output.p4info_text, p4i.P4Info())
    names = Names(info)
    client.become_primary()
    client.set_config(p4r.ForwardingPipelineConfig(p4info=info, p4_device_config=output.json.encode()))
    entry = names.entry("added", match.exact(b"\0"), action=names.action("set", b"\0", b"\x31", b"\0"))
    client.insert(table_entry=entry)
    assert client.read(table_entry=names.entry("added")) == [entry]
    entry.match[0].exact.value = b"\1"
    update = p4r.Update(type=p4r.Update.INSERT, entity=p4r.Entity(table_entry=entry))
    assert client.refusal(update) == Code.OUT_OF_RANGE
