# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Registers, counters, meters, value sets, queues and the configuration by Thrift."""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from bm_runtime.standard import ttypes as t
from finsy.proto import p4i, p4r
from quench_switch._native import compile_p4
from quench_switch.bmv2_thrift import running
from quench_switch.bmv2_thrift.replication import Replication
from quench_switch.bmv2_thrift.running import Running
from quench_switch.bmv2_thrift.target import Target
from quench_switch.p4runtime.device import Device
from quench_switch.p4runtime.rates import encode_rates
from sswitch_runtime.ttypes import MirroringSessionConfig
from thrift.Thrift import TApplicationException

REGISTER = "MyIngress.last_port"
CUSTOM_CRCS = Path(__file__).parents[3] / "tests/programs/externs/custom_crcs.p4"


def test_registers(clients: SimpleNamespace, device: Device) -> None:
    api = clients.standard
    api.bm_register_write(0, REGISTER, 3, 0x12345)
    assert api.bm_register_read(0, REGISTER, 3) == 0x12345
    api.bm_register_write(0, REGISTER, 0, -1)
    assert api.bm_register_read(0, REGISTER, 0) == 0xFFFFF
    api.bm_register_write_range(0, REGISTER, 5, 7, 9)
    assert api.bm_register_read_all(0, REGISTER) == [0xFFFFF, 0, 0, 0x12345, 0, 9, 9, 0]
    assert device.switch.register_read(REGISTER, 5)[-1] == 9
    api.bm_register_reset(0, REGISTER)
    assert set(api.bm_register_read_all(0, REGISTER)) == {0}
    codes = t.RegisterOperationErrorCode
    for name, index, code in (
        ("none", 0, codes.INVALID_REGISTER_NAME),
        (REGISTER, 8, codes.INVALID_INDEX),
        (REGISTER, -1, codes.INVALID_INDEX),
    ):
        with pytest.raises(t.InvalidRegisterOperation) as error:
            api.bm_register_read(0, name, index)
        assert error.value.code == code


def test_counters_and_meters(clients: SimpleNamespace, device: Device) -> None:
    api, seen, policer = clients.standard, "MyIngress.seen", "MyIngress.policer"
    api.bm_counter_write(0, seen, 2, t.BmCounterValue(packets=5, bytes=500))
    value = api.bm_counter_read(0, seen, 2)
    assert (value.packets, value.bytes) == (5, 500)
    api.bm_counter_reset_all(0, seen)
    assert api.bm_counter_read(0, seen, 2).packets == 0
    with pytest.raises(t.InvalidCounterOperation) as error:
        api.bm_counter_read(0, seen, 4)
    assert error.value.code == t.CounterOperationErrorCode.INVALID_INDEX

    rates = [t.BmMeterRateConfig(0.000125, 1500), t.BmMeterRateConfig(0.00025, 3000)]
    api.bm_meter_array_set_rates(0, policer, rates)
    assert device.switch.meter_read_all(policer) == [(125, 1500, 250, 3000, 0)] * 4
    api.bm_meter_set_rates(0, policer, 1, [t.BmMeterRateConfig(1.0, 1), t.BmMeterRateConfig(1.0, 1)])
    assert api.bm_meter_get_rates(0, policer, 0) == rates
    slow = [t.BmMeterRateConfig(5e-7, 1), t.BmMeterRateConfig(1.5e-6, 1)]
    api.bm_meter_set_rates(0, policer, 2, slow)
    assert api.bm_meter_get_rates(0, policer, 2) == slow
    assert device.switch.meter_read(policer, 2) == (0.5, 1, 1.5, 1, 0)
    # P4Runtime's rates are whole, and one that is not 0 does not read as 0.
    read = encode_rates((0.5, 1, 1.5, 1, 0))
    assert (read.cir, read.pir) == (1, 2)
    for wrong, code in (
        ([t.BmMeterRateConfig(1e-16, 1)] * 2, t.MeterOperationErrorCode.INVALID_INFO_RATE_VALUE),
        (rates[::-1], t.MeterOperationErrorCode.INVALID_INFO_RATE_VALUE),
        ([rates[0]], t.MeterOperationErrorCode.BAD_RATES_LIST),
        ([t.BmMeterRateConfig(float("nan"), 1)] * 2, t.MeterOperationErrorCode.INVALID_INFO_RATE_VALUE),
        ([t.BmMeterRateConfig(1.0, -1)] * 2, t.MeterOperationErrorCode.INVALID_BURST_SIZE_VALUE),
    ):
        with pytest.raises(t.InvalidMeterOperation) as refused:
            api.bm_meter_set_rates(0, policer, 0, wrong)
        assert refused.value.code == code


def test_value_sets(clients: SimpleNamespace) -> None:
    api, special = clients.standard, "MyParser.special"
    for value in (b"\x08\x00", b"\x86\xdd", b"\x08\x00"):
        api.bm_parse_vset_add(0, special, value)
    assert sorted(api.bm_parse_vset_get(0, special)) == [b"\x08\x00", b"\x86\xdd"]
    api.bm_parse_vset_remove(0, special, b"\x08\x00")
    assert api.bm_parse_vset_get(0, special) == [b"\x86\xdd"]
    api.bm_parse_vset_clear(0, special)
    assert api.bm_parse_vset_get(0, special) == []


def test_queues(clients: SimpleNamespace, device: Device) -> None:
    api = clients.target
    assert api.set_egress_queue_rate(1, 100) == 0
    assert device.switch.port_get(1)["queue_rate_pps"] == dict.fromkeys(range(4), 100)
    assert api.set_egress_priority_queue_rate(1, 2, 10) == 0
    assert device.switch.port_get(1)["queue_rate_pps"] == {0: 100, 1: 100, 2: 10, 3: 100}
    assert api.set_all_egress_queue_rates(0) == 0
    assert device.switch.port_get(1)["queue_rate_pps"] == dict.fromkeys(range(4), 0)
    assert device.switch.port_get(1)["rate_pps"] == 0
    assert api.set_all_egress_queue_depths(30) == 0
    assert device.switch.port_get(1)["capacity_pkts"] == 30
    assert api.set_egress_priority_queue_depth(1, 3, 7) == 0
    assert device.switch.port_get(1)["queue_capacity_pkts"] == {0: 30, 1: 30, 2: 30, 3: 7}
    with pytest.raises(TApplicationException, match="priority 4"):
        api.set_egress_priority_queue_depth(1, 4, 10)


def test_what_clients_know_no_exception_of_is_logged(clients: SimpleNamespace, device: Device) -> None:
    """As with BMv2: its client would end at an exception, and leave the rest of its commands."""
    api = clients.target
    for number in (40_000, -1):
        api.mirroring_session_add(number, MirroringSessionConfig(port=1))
    assert device.switch.clone_sessions() == []
    assert api.set_egress_queue_depth(1, -1) == 1
    assert api.set_egress_queue_rate(1, -1) == 1


def test_custom_crcs(clients: SimpleNamespace, device: Device) -> None:
    api, codes = clients.standard, t.CrcErrorCode
    compiled = compile_p4(str(CUSTOM_CRCS))
    info = p4i.P4Info.FromString(compiled.p4info_binary)
    device.load(p4r.ForwardingPipelineConfig(p4info=info, p4_device_config=compiled.json.encode()))
    api.bm_set_crc16_custom_parameters(0, "calc_0", t.BmCrc16Config(0x1021, -1, 0, False, False))
    api.bm_set_crc32_custom_parameters(0, "calc", t.BmCrc32Config(0x1EDC6F41, -1, -1, True, True))
    for call, name, config, code in (
        (api.bm_set_crc16_custom_parameters, "none", t.BmCrc16Config(1, 1, 1, True, True), "INVALID_CALCULATION_NAME"),
        (api.bm_set_crc16_custom_parameters, "calc", t.BmCrc16Config(1, 1, 1, True, True), "WRONG_TYPE_CALCULATION"),
        (api.bm_set_crc32_custom_parameters, "calc", t.BmCrc32Config(1, 1, 1, True), "INVALID_CONFIG"),
    ):
        with pytest.raises(t.InvalidCrcOperation) as error:
            call(0, name, config)
        assert error.value.code == codes._NAMES_TO_VALUES[code]


def test_the_clock_begins_with_the_switch(device: Device) -> None:
    """Not with the first client."""
    running = Running(device, device.switch)
    target = Target(running, Replication(running), 1, time.monotonic_ns() - 5_000_000_000)
    assert target.get_time_elapsed_us() >= 5_000_000
    before_us = time.time_ns() // 1000
    assert before_us <= target.get_time_since_epoch_us() <= time.time_ns() // 1000


def test_configuration_and_identity(clients: SimpleNamespace) -> None:
    api = clients.standard
    config = api.bm_get_config()
    assert api.bm_get_config_md5() == hashlib.md5(config.encode()).digest()
    tables = {table["name"]: table["id"] for table in json.loads(config)["pipelines"][0]["tables"]}
    name = "MyIngress.routes"
    assert api.bm_get_id_from_name(0, t.BmResourceType.MATCH_TABLE, name) == tables[name]
    with pytest.raises(t.InvalidIdLookup):
        api.bm_get_id_from_name(0, t.BmResourceType.REGISTER, name)
    assert api.bm_mgmt_get_info().device_id == 7
    (port,) = api.bm_dev_mgr_show_ports()
    assert (port.port_num, port.iface_name, port.is_up) == (1, "none", False)
    with pytest.raises(t.InvalidDevMgrOperation):
        api.bm_dev_mgr_add_port("no-such-interface", 2, "")
    with pytest.raises(TApplicationException, match="the switch does not"):
        api.bm_serialize_state()
    with pytest.raises(t.InvalidCrcOperation):
        api.bm_set_crc16_custom_parameters(0, "c", t.BmCrc16Config(1, 1, 1, True, True))
    with pytest.raises(TApplicationException, match="bm_mt_get_entry: an argument is missing"):
        api.bm_mt_get_entry(0, name, None)
    with pytest.raises(t.InvalidSwapOperation):
        api.bm_load_new_config("{}")
    with pytest.raises(t.InvalidLearnOperation):
        api.bm_learning_ack_buffer(0, 1, 1)


def test_a_member_gets_the_smallest_number_that_was_freed(clients: SimpleNamespace, device: Device) -> None:
    api, profile = clients.standard, "MyIngress.paths"
    device.switch.member_insert(profile, 1, ("MyIngress.send", [b"\1"]))
    added = [api.bm_mt_act_prof_add_member(0, profile, "MyIngress.send", [b"\1"]) for _ in range(4)]
    assert added == [0, 2, 3, 4]
    api.bm_mt_act_prof_delete_member(0, profile, 2)
    assert [api.bm_mt_act_prof_add_member(0, profile, "MyIngress.send", [b"\1"]) for _ in range(2)] == [2, 5]


def test_names_are_looked_up_in_a_program_that_is_parsed_once(
    clients: SimpleNamespace, device: Device, config: p4r.ForwardingPipelineConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[bytes] = []
    parse = running.bmv2_json
    monkeypatch.setattr(running, "bmv2_json", lambda data: read.append(data) or parse(data))
    api, kinds = clients.standard, t.BmResourceType
    for loaded in (1, 2):
        for _ in range(3):
            assert api.bm_get_id_from_name(0, kinds.REGISTER, REGISTER) == 0
            with pytest.raises(t.InvalidIdLookup):
                api.bm_get_id_from_name(0, kinds.COUNTER, REGISTER)
            assert len(api.bm_get_config_md5()) == 16
        # Once for names, and once for the sum.
        assert len(read) == 2 * loaded
        device.load(config)
