# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""What only programs for Tofino have: filters, the metadata of ports, exclusion in multicast groups, a slower clock."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from quench_switch import DataPlaneError, VirtualSwitch, compile_p4

FILTERS = Path(__file__).parent / "programs" / "filters.p4"
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


def test_a_program_for_v1model_has_none_of_it(switch: VirtualSwitch) -> None:
    assert code(switch.set_port_metadata, 1, 1) == "failed_precondition"
    assert code(switch.port_metadata, 1) == "failed_precondition"
    assert code(switch.set_level1_exclusion, 1, 1, 1) == "failed_precondition"
    assert code(switch.filter_config, AVERAGE, 1) == "not_found"


def test_a_clock_cannot_stand_still() -> None:
    assert code(lambda: VirtualSwitch(slowdown=0)) == "invalid_argument"
