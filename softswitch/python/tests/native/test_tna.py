# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The objects of programs for Tofino alone: filters, port metadata, exclusion ids, packet generator, a slower clock."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from quench_switch import DataPlaneError, RealtimeSwitch, VirtualSwitch, compile_p4

FILTERS = Path(__file__).parent / "programs" / "filters.p4"
GENERATED = Path(__file__).parent / "programs" / "generated.p4"
AVERAGE, EARLY, HOSTS = "pipe.Ingress.average", "pipe.Ingress.early", "pipe.Ingress.host_average"
LPF: Any = ("sample", 4e6, 2e6, 3)
WRED: Any = ("wred", 5e5, 10, 1000, 0.25)


@pytest.fixture(scope="module")
def program() -> str:
    return compile_p4(str(FILTERS), arch="tna").json


@pytest.fixture
def tofino(program: str) -> VirtualSwitch:
    switch = VirtualSwitch(cpu_port=320, interpreted=True)
    switch.load(program)
    return switch


def code(call: Callable[..., object], *args: Any) -> str:
    with pytest.raises(DataPlaneError) as caught:
        call(*args)
    return caught.value.code


def test_filters_are_described(tofino: VirtualSwitch) -> None:
    program = tofino.program()
    assert program is not None
    assert program["filters"] == [
        {"name": AVERAGE, "kind": "lpf", "size": 1024, "direct_table": None},
        {"name": EARLY, "kind": "wred", "size": 1024, "direct_table": None},
        {"name": HOSTS, "kind": "lpf", "size": 128, "direct_table": "pipe.Ingress.smoothed"},
    ]


def test_settings_of_filters_are_read_as_they_were_written(tofino: VirtualSwitch) -> None:
    tofino.set_filter_config(AVERAGE, 7, LPF)
    tofino.filter_fill(EARLY, 1, 2, WRED)
    assert [tofino.filter_config(AVERAGE, index) for index in (6, 7, 8)] == [None, LPF, None]
    assert [tofino.filter_config(EARLY, index) for index in range(4)] == [None, WRED, WRED, None]
    assert tofino.filter_value(AVERAGE, 7) == 0
    tofino.set_filter_config(AVERAGE, 7, None)
    assert tofino.filter_config(AVERAGE, 7) is None


def test_a_batch_of_filters_happens_whole_or_not_at_all(tofino: VirtualSwitch) -> None:
    batch = tofino.batch()
    batch.set_filter_config(AVERAGE, 1, LPF)
    batch.set_port_metadata(3, 5)
    batch.set_filter_config(AVERAGE, 2, WRED)
    refused = batch.apply()
    assert refused is not None
    assert (refused[0], refused[1].code) == (2, "invalid_argument")
    assert (tofino.filter_config(AVERAGE, 1), tofino.port_metadata(3)) == (None, 0)


def test_direct_filters_belong_to_entries(tofino: VirtualSwitch) -> None:
    key: Any = [("exact", b"\2")]
    tofino.table_insert("pipe.Ingress.smoothed", key, 0, ("action", "Ingress.smooth", []))
    tofino.set_direct_filter_config(HOSTS, key, 0, LPF)
    assert tofino.direct_filter_config(HOSTS, key, 0) == LPF
    assert code(tofino.set_filter_config, HOSTS, 0, LPF) == "invalid_argument"
    assert code(tofino.direct_filter_config, HOSTS, [("exact", b"\3")], 0) == "not_found"


@pytest.mark.parametrize("wrong", [("sample", -1.0, 1.0, 0), ("rate", 1.0, 1.0, 32), WRED])
def test_settings_that_a_filter_cannot_have_are_refused(tofino: VirtualSwitch, wrong: Any) -> None:
    assert code(tofino.set_filter_config, AVERAGE, 0, wrong) == "invalid_argument"
    assert tofino.filter_config(AVERAGE, 0) is None


@pytest.mark.parametrize("wrong", [(), ("other", 1), ("sample", 1.0), 5])
def test_what_is_no_setting_is_an_error_of_the_caller(tofino: VirtualSwitch, wrong: Any) -> None:
    with pytest.raises((TypeError, ValueError, IndexError)):
        tofino.set_filter_config(AVERAGE, 0, wrong)


def test_metadata_of_ports(tofino: VirtualSwitch) -> None:
    tofino.set_port_metadata(511, 2**64 - 1)
    assert [tofino.port_metadata(port) for port in (0, 511)] == [0, 2**64 - 1]
    assert code(tofino.set_port_metadata, 512, 0) == "out_of_range"
    assert code(tofino.port_metadata, 512) == "out_of_range"


def test_exclusion_ids_are_checked(tofino: VirtualSwitch) -> None:
    tofino.set_level1_exclusion(1, 2, 3)
    tofino.set_level1_exclusion(1, 2, None)
    tofino.set_level2_exclusion(4, [1, 2])
    assert code(tofino.set_level2_exclusion, 512, [1]) == "out_of_range"
    assert code(tofino.set_level2_exclusion, 1, [512]) == "out_of_range"


def test_the_place_of_deflected_packets_is_checked(tofino: VirtualSwitch) -> None:
    tofino.set_deflection(511, 31)
    tofino.set_deflection(None)
    assert code(tofino.set_deflection, 512) == "out_of_range"
    assert code(tofino.set_deflection, 1, 32) == "out_of_range"


APP: Any = {"trigger": ("periodic", 10_000_000), "packet": b"\1\2"}


@pytest.mark.parametrize(
    "trigger", [("one_shot", 5), ("periodic", 2000), ("port_down",), ("recirculated", 0x12000000, 0xFF000000)]
)
def test_applications_of_the_packet_generator_are_read_as_they_were_written(
    tofino: VirtualSwitch, trigger: Any
) -> None:
    app = APP | {"trigger": trigger, "packets": 2, "packet_gap_ns": 7, "source_port": 3, "increments_port": True}
    assert tofino.generator(4) is None
    tofino.set_generator(4, app)
    found = tofino.generator(4)
    assert found is not None
    assert app.items() <= found.items()
    assert (found["batches"], found["sent_packets"], found["lost_triggers"]) == (1, 0, 0)
    tofino.set_generator(4, None)
    assert tofino.generator(4) is None


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"packet": b""}, DataPlaneError),
        ({"batches": 0}, DataPlaneError),
        ({"trigger": ("periodic", 1)}, DataPlaneError),
        ({"packets": 1 << 32}, DataPlaneError),
        ({"source_port": -1}, DataPlaneError),
        ({"trigger": ("never",)}, ValueError),
        ({"trigger": ("one_shot",)}, ValueError),
        ({"speed": 1}, ValueError),
        ({"increments_port": 5}, TypeError),
    ],
)
def test_what_no_application_can_have_is_refused(tofino: VirtualSwitch, wrong: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        tofino.set_generator(0, APP | wrong)
    assert tofino.generator(0) is None


def test_an_application_needs_a_trigger_and_a_packet(tofino: VirtualSwitch) -> None:
    for name in APP:
        with pytest.raises(KeyError, match=name):
            tofino.set_generator(0, {key: value for key, value in APP.items() if key != name})
    assert code(tofino.set_generator, 8, APP) == "out_of_range"
    assert code(tofino.clear_port_down, 512) == "out_of_range"


def test_virtual_time_knows_the_timer(tofino: VirtualSwitch) -> None:
    tofino.set_generator(0, APP)
    assert tofino.next_event_ns() == 10_000_000
    tofino.advance(35_000_000)
    found = tofino.generator(0)
    assert found is not None
    assert (found["sent_packets"], tofino.next_event_ns()) == (3, 40_000_000)


def test_the_packet_generator_runs_in_real_time() -> None:
    switch = RealtimeSwitch(cpu_port=320, slowdown=1000)
    switch.set_generator(2, {"trigger": ("periodic", 1000), "packet": bytes(60)})
    switch.load(compile_p4(str(GENERATED), arch="tna").json)
    switch.start()
    try:
        packets: list[bytes] = []
        while len(packets) < 5:
            packets += [packet for packet, _ in switch.wait_cpu(10_000_000_000)]
        assert set(packets) == {b"\2" + bytes(65)}
    finally:
        switch.stop()


def test_a_program_for_v1model_has_none_of_it(switch: VirtualSwitch) -> None:
    assert code(switch.set_port_metadata, 1, 1) == "failed_precondition"
    assert code(switch.port_metadata, 1) == "failed_precondition"
    assert code(switch.set_level1_exclusion, 1, 1, 1) == "failed_precondition"
    assert code(switch.filter_config, AVERAGE, 1) == "not_found"


def test_a_clock_cannot_stand_still() -> None:
    assert code(lambda: VirtualSwitch(slowdown=0)) == "invalid_argument"
