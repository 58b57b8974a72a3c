# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A program as those for hardware are: strings, constraints, a role, packet headers and digests of named types."""

import pytest
from finsy.proto import p4i, p4r
from google.protobuf import text_format
from p4runtime_lab import CPU_PORT, PROGRAMS, Names
from quench_switch._native import compile_p4

ROLE = "sdn_controller"
PACKET = b"\x05" + b"\x0a\0\0\7" + b"payload"


@pytest.fixture(scope="module")
def translated():
    """The config, and the ids in it."""
    output = compile_p4(str(PROGRAMS / "translated.p4"))
    info = text_format.Parse(output.p4info_text, p4i.P4Info())
    return p4r.ForwardingPipelineConfig(p4info=info, p4_device_config=output.json.encode()), Names(info)


@pytest.fixture
def stream(client, translated):
    """The stream of the primary of a role, with the program running."""
    stream = client.stream()
    stream.arbitrate(1, role=ROLE)
    stream.receive("arbitration")
    client.set_config(translated[0], role=ROLE)
    return stream


def packet_out(stream, port, submit=True):
    values = [(1, port), (2, b"\1" if submit else b"\0"), (3, b"\0")]
    metadata = [p4r.PacketMetadata(metadata_id=number, value=value) for number, value in values]
    stream.send(p4r.StreamMessageRequest(packet=p4r.PacketOut(payload=PACKET, metadata=metadata)))


def insert(client, entry):
    client.write(p4r.Update(type=p4r.Update.INSERT, entity=p4r.Entity(table_entry=entry)), role=ROLE)


def test_entries_and_packets_carry_the_controllers_strings(client, stream, translated, match):
    _, names = translated
    cpu = str(CPU_PORT).encode()
    entries = [
        # The constraint of the table forbids this pair of matches: constraints are the controller's to keep.
        names.entry(
            "vrfs",
            match.ternary(b"\5", b"\x0f"),
            match.optional(cpu, 2),
            priority=1,
            action=names.action("set_vrf", b"vrf-blue"),
        ),
        names.entry(
            "routes", match.exact(b"vrf-blue"), match.lpm(b"\x0a\0\0\0", 8, 2), action=names.action("send", cpu)
        ),
        names.entry("routes", match.exact(b""), match.lpm(b"\x0b\0\0\0", 8, 2), action=names.action("send", b"7")),
    ]
    for entry in entries:
        insert(client, entry)
    packet_out(stream, b"0")
    packet = stream.receive("packet")
    assert packet.payload == PACKET
    assert [item.value for item in packet.metadata] == [cpu, cpu, b"\0"]
    packet_out(stream, cpu, submit=False)
    assert stream.receive("packet").payload == PACKET
    read = [entry for name in ("vrfs", "routes") for entry in client.read(table_entry=names.entry(name))]
    assert sorted(map(str, read)) == sorted(map(str, entries))


def test_a_new_config_gives_the_numbers_behind_strings_anew(client, stream, translated, match):
    config, names = translated
    for turn in range(3):
        entry = names.entry(
            "routes", match.exact(b"vrf-%d" % turn), match.lpm(b"\x0a\0\0\0", 8, 2), action=names.action("send", b"1")
        )
        insert(client, entry)
        assert client.read(table_entry=names.entry("routes")) == [entry]
        client.set_config(config, role=ROLE)


def test_digests_show_errors_and_enums_by_name(client, stream, translated):
    _, names = translated
    digest = p4r.DigestEntry(digest_id=names.id("seen_t"), config=p4r.DigestEntry.Config(max_list_size=1))
    client.write(p4r.Update(type=p4r.Update.INSERT, entity=p4r.Entity(digest_entry=digest)), role=ROLE)
    packet_out(stream, b"0")
    (learned,) = stream.receive("digest").data
    destination, problem, kind = learned.struct.members
    assert (destination.bitstring, problem.error, kind.enum) == (b"\x0a\0\0\7", "NoError", "unknown")
