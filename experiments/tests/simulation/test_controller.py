# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The controller: a packet-in is answered as the control plane's own controller would answer it."""

import struct
from typing import Any

import finsy as fy
import pytest
from finsy.proto import p4r
from hypothesis import given
from hypothesis import strategies as st
from quench_experiments.simulation.controller import Controller, Unpacker, packet_out_header
from quench_experiments.simulation.program import load_program
from quench_experiments.simulation.scenario import Scenario
from quench_switch.p4runtime.packet_io import decode_packet_in, encode_packet_out
from simulated import n1

MARKED, DROPPED_EARLY, REPORT = 1, 2, 4


def packet_in(reason: int, source: str = "10.0.1.1") -> bytes:
    addresses = bytes(map(int, source.split("."))) + bytes([10, 0, 2, 1])
    ip = struct.pack("!BBHHHBBH", 0x45, 0, 1000, 0, 0x4000, 64, 6, 0) + addresses
    frame = bytes.fromhex("020000000001020000000002") + b"\x08\x00" + ip + bytes(20)
    return bytes([reason]) + bytes(Unpacker(load_program()).header_bytes - 1) + frame


def controller(**changes: Any) -> Controller:
    values = n1("becn", flows=1, warmup_s=0.0)
    values["routers"][0] |= changes
    return Controller(Scenario.parse(values), load_program())


@given(st.binary(max_size=100))
def test_packet_ins_are_unpacked_as_by_p4runtime(rest: bytes) -> None:
    program = load_program()
    packet = bytes([MARKED]) + bytes(Unpacker(program).header_bytes - 1) + rest
    message = p4r.StreamMessageResponse(packet=decode_packet_in(program.pipeline.packet_in, packet))
    assert Unpacker(program).unpack(packet) == fy.P4PacketIn.decode(message, program.schema)


def test_a_packet_in_that_is_too_short_is_refused() -> None:
    with pytest.raises(ValueError, match="a packet-in of 3 bytes, its header alone has"):
        Unpacker(load_program()).unpack(b"abc")


def test_packet_outs_are_packed_as_by_p4runtime() -> None:
    program = load_program()
    update = fy.P4PacketOut(b"frame", egress_port=0, submit_to_ingress=1, pad0=0).encode_update(program.schema)
    assert packet_out_header(program) + b"frame" == encode_packet_out(program.pipeline.packet_out, update.packet)


@pytest.mark.parametrize(("reason", "octet"), [(MARKED, 0x80), (DROPPED_EARLY, 0)])
def test_a_copy_is_answered_with_a_source_quench(reason: int, octet: int) -> None:
    answer = controller().packet_in(0, 0, packet_in(reason))
    assert answer is not None
    ip = answer[len(packet_out_header(load_program())) + 14 :]
    assert (len(ip), ip[9], ip[20], ip[24]) == (56, 1, 4, octet)
    assert (ip[12:16], ip[16:20]) == (bytes([10, 255, 255, 1]), bytes([10, 0, 1, 1]))


def test_reports_are_counted_and_not_answered() -> None:
    tested = controller()
    assert tested.packet_in(0, 0, packet_in(REPORT)) is None
    assert tested.tallies[0].packet_ins == {"queue_report": 1}


def test_what_was_before_the_warmup_does_not_count_though_nothing_follows() -> None:
    values = n1("becn", flows=1, warmup_s=2.0)
    tested = Controller(Scenario.parse(values), load_program())
    assert tested.packet_in(0, 10**9, packet_in(MARKED)) is not None
    tested.reached(1.9)
    assert tested.tallies[0].isqs_sent == {"marked": 1}
    tested.reached(2.0)
    assert tested.tallies[0].isqs_sent == {}


def test_a_part_of_the_answers_is_lost() -> None:
    tested = controller(isq_loss=0.25, isq={"mode": "cpu", "per_source": None, "total": None})
    answered = sum(tested.packet_in(0, 0, packet_in(MARKED)) is not None for _ in range(4000))
    # Four standard errors: the seed is that of the scenario.
    assert abs(answered - 3000) < 4 * (4000 * 0.25 * 0.75) ** 0.5
    assert tested.tallies[0].isqs_lost == {"isq_loss": 4000 - answered}
    assert sum(tested.tallies[0].isqs_sent.values()) == 4000


def test_nothing_is_answered_where_source_quenches_are_off() -> None:
    tested = controller(isq={"mode": "off"})
    assert tested.packet_in(0, 0, packet_in(MARKED)) is None
    assert tested.tallies[0].isqs_sent == {}
    assert tested.tallies[0].packet_ins == {"marked": 1}


def test_the_limits_are_the_scenarios_own_by_simulated_time() -> None:
    tested = controller(isq={"per_source": {"rate": 1, "burst": 2}, "total": None})
    answered = [tested.packet_in(0, 0, packet_in(MARKED)) is not None for _ in range(4)]
    assert answered == [True, True, False, False]
    assert tested.packet_in(0, 10**9, packet_in(MARKED)) is not None
    assert tested.packet_in(0, 10**9, packet_in(MARKED, "10.0.1.2")) is not None
    assert tested.tallies[0].isqs_limited == {"source": 2}


def test_the_limits_of_one_router_are_not_anothers() -> None:
    values = n1("becn", flows=1, warmup_s=0.0)
    for router in values["routers"]:
        router["isq"] = {"total": {"rate": 1, "burst": 1}}
    tested = Controller(Scenario.parse(values), load_program())
    assert [tested.packet_in(router, 0, packet_in(MARKED)) is not None for router in (0, 1, 0)] == [True, True, False]


def test_what_may_not_be_answered_is_counted_by_reason() -> None:
    tested = controller()
    assert tested.packet_in(0, 0, packet_in(MARKED, "127.0.0.1")) is None
    assert tested.tallies[0].isqs_refused == {"source_not_a_host": 1}


def test_counts_begin_with_the_warmup() -> None:
    tested = Controller(Scenario.parse(n1("becn", flows=1, warmup_s=1.0)), load_program())
    for now_ns in (0, 999_999_999, 10**9, 2 * 10**9):
        assert tested.packet_in(0, now_ns, packet_in(MARKED)) is not None
    assert tested.tallies[0].isqs_sent == {"marked": 2}
