# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A program for Tofino over P4Runtime: P4Info has p4c's own externs, entities are the standard's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from finsy import GRPCStatusCode as Code
from finsy.proto import p4d, p4i, p4r
from p4runtime_lab import extern_entry, fields_of
from quench_switch._native import compile_p4

PROGRAM = Path(__file__).parents[1] / "programs" / "tofino.p4"


@pytest.fixture(scope="module")
def tofino() -> p4r.ForwardingPipelineConfig:
    output = compile_p4(str(PROGRAM), arch="tna")
    info = p4i.P4Info.FromString(output.p4info_binary)
    return p4r.ForwardingPipelineConfig(p4info=info, p4_device_config=output.json.encode())


@pytest.fixture
def running(client: Any, tofino: p4r.ForwardingPipelineConfig) -> Any:
    client.become_primary()
    client.set_config(tofino)
    return client


def extern(info: p4i.P4Info, kind: str, name: str) -> tuple[int, int]:
    """The type and the id of the one instance with the end of a name."""
    (found,) = [
        (each.extern_type_id, instance.preamble.id)
        for each in info.externs
        if each.extern_type_name == kind
        for instance in each.instances
        if instance.preamble.name.endswith(name)
    ]
    return found


def test_a_counter_goes_by_the_id_of_its_extern(running: Any, tofino: p4r.ForwardingPipelineConfig) -> None:
    _, counter = extern(tofino.p4info, "Counter", ".port_seen")
    written = p4r.CounterEntry(counter_id=counter, data=p4r.CounterData(packet_count=3, byte_count=200))
    written.index.index = 5
    running.modify(counter_entry=written)
    assert running.read(counter_entry=p4r.CounterEntry(counter_id=counter, index=p4r.Index(index=5))) == [written]


def test_a_cell_of_a_register_is_a_struct(running: Any, tofino: p4r.ForwardingPipelineConfig) -> None:
    _, register = extern(tofino.p4info, "Register", ".pairs")
    members = [p4d.P4Data(bitstring=b"\x12\x34"), p4d.P4Data(bitstring=b"\x05")]
    written = p4r.RegisterEntry(register_id=register, data=p4d.P4Data(struct=p4d.P4StructLike(members=members)))
    written.index.index = 17
    running.modify(register_entry=written)
    assert running.read(register_entry=p4r.RegisterEntry(register_id=register, index=p4r.Index(index=17))) == [written]


def test_metadata_of_a_port(running: Any, tofino: p4r.ForwardingPipelineConfig) -> None:
    place = extern(tofino.p4info, "PortMetadata", "$PORT_METADATA")
    running.modify(extern_entry=extern_entry(*place, {"port": 3, "data": "0xfedcba9876543210"}))
    found = [fields_of(each) for each in running.read(extern_entry=extern_entry(*place))]
    assert [each for each in found if len(each) > 1] == [{"port": 3, "data": "0xfedcba9876543210"}]
    assert len(found) == 512


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"port": 512, "data": "0x1"}, Code.OUT_OF_RANGE),
        ({"port": 3, "data": "1"}, Code.INVALID_ARGUMENT),
        ({"port": 3, "data": "0x10000000000000000"}, Code.INVALID_ARGUMENT),
        ({"port": 3, "data": 1}, Code.INVALID_ARGUMENT),
        ({"port": 3}, Code.INVALID_ARGUMENT),
    ],
)
def test_wrong_metadata_is_refused(
    running: Any, tofino: p4r.ForwardingPipelineConfig, fields: dict[str, Any], code: Code
) -> None:
    place = extern(tofino.p4info, "PortMetadata", "$PORT_METADATA")
    update = p4r.Update(type=p4r.Update.MODIFY, entity=p4r.Entity(extern_entry=extern_entry(*place, fields)))
    assert running.refusal(update) == code


def test_a_filter_is_set_and_its_state_is_kept_by_a_new_config(
    running: Any, tofino: p4r.ForwardingPipelineConfig
) -> None:
    place = extern(tofino.p4info, "Lpf", ".rates")
    wanted = {
        "index": 16,
        "type": "SAMPLE",
        "gain_time_constant_ns": 4e5,
        "decay_time_constant_ns": 4e5,
        "out_scale_down_factor": 0,
    }
    running.modify(extern_entry=extern_entry(*place, wanted))
    running.set_config(tofino, p4r.SetForwardingPipelineConfigRequest.RECONCILE_AND_COMMIT)
    (found,) = running.read(extern_entry=extern_entry(*place, {"index": 16}))
    assert fields_of(found) == wanted


def test_a_size_that_differs_from_the_program_is_refused(client: Any, tofino: p4r.ForwardingPipelineConfig) -> None:
    client.become_primary()
    wrong = p4r.ForwardingPipelineConfig()
    wrong.CopyFrom(tofino)
    for each in wrong.p4info.externs:
        if each.extern_type_name == "Lpf":
            # The field with the number 1, of another size.
            each.instances[0].info.value = b"\x08\x07"
    assert client.code(lambda: client.set_config(wrong)) == Code.INVALID_ARGUMENT
