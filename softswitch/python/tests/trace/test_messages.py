# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The declarations of the messages: behavioral-model's numbers, and what the switch writes."""

from __future__ import annotations

from pathlib import Path

from google.protobuf.descriptor import Descriptor
from quench_switch.trace import packet_trace_pb2 as pb

UPSTREAM = {
    "PacketTrace": {"input": 1, "root": 2},
    "InputPacket": {"packet_id": 1, "ingress_port": 2},
    "TraceTree": {"events": 1, "transmit": 2, "drop": 3},
    "TraceEvent": {"pipeline_stage": 1},
    "PipelineStageEvent": {"stage_name": 1, "stage_kind": 2, "direction": 3},
    "Transmit": {"egress_port": 1, "packet_size": 2},
    "Drop": {},
}
"""Names and numbers of behavioral-model's packet_trace.proto."""


def numbers(message: Descriptor) -> dict[str, int]:
    return {field.name: field.number for field in message.fields}


def test_what_behavioral_model_has_keeps_its_numbers() -> None:
    for name, fields in UPSTREAM.items():
        ours = numbers(pb.DESCRIPTOR.message_types_by_name[name])
        assert {field: ours.get(field) for field in fields} == fields
        # Except in messages that it does not have, no number below 50 is ours.
        assert {field for field, number in ours.items() if number < 50} == set(fields)
    stages = pb.PipelineStageEvent.DESCRIPTOR.enum_types_by_name
    assert stages["StageKind"].values_by_name["DEPARSER"].number == 3
    assert stages["Direction"].values_by_name["EXIT"].number == 2


def test_the_switch_writes_what_the_file_declares() -> None:
    """The number of a field that the module does not know would be wrong in one of the two."""
    from quench_switch import VirtualSwitch, compile_p4

    program = Path(__file__).parents[3] / "tests" / "programs" / "control" / "actions.p4"
    switch = VirtualSwitch()
    switch.load(compile_p4(str(program)).json)
    session = switch.trace()
    switch.receive(1, bytes(64), 0)
    switch.advance(1_000_000)
    (data,) = session.take(1 << 20)
    trace = pb.PacketTrace.FromString(data)
    assert trace.root.WhichOneof("outcome")
    known = trace.SerializeToString()
    trace.DiscardUnknownFields()
    assert trace.SerializeToString() == known
