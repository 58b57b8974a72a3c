# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Every command of simple_switch_CLI, in the order of a session, and what the client prints."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import bm_cli
from finsy.proto import p4i, p4r
from quench_switch._native import compile_p4
from quench_switch.bmv2_thrift.listener import ThriftListener
from quench_switch.p4runtime.device import Device

SESSION_PROGRAM = Path(__file__).parent / "programs/session.p4"
TIMEOUT_S = 60
SESSION = [
    ("show_tables", "MyIngress.routes"),
    ("show_actions", "MyIngress.flood                [group(16)]"),
    ("show_ports", "none           DOWN"),
    ("show_pvs", "MyParser.special"),
    ("switch_info", "device_id                : 7"),
    ("table_show_actions prefixes", "MyIngress.send                 [port(9)]"),
    ("table_info routes", "MyIngress.route"),
    ("table_set_default prefixes send 3", "runtime data:        00:03"),
    ("table_reset_default prefixes", ""),
    ("table_add prefixes send 00:00:00:00:00:01/48 => 2", "added with handle 0"),
    ("table_add routes route 1 0x0&&&0x0 0->0xffff 1&&&1 => 5 1", "added with handle 0"),
    ("table_num_entries routes", "1"),
    ("table_dump prefixes", "Action entry: MyIngress.send - 02"),
    ("table_dump_entry prefixes 0", "Action entry: MyIngress.send - 02"),
    ("table_dump_entry_from_key prefixes 00:00:00:00:00:01/48", "Action entry: MyIngress.send - 02"),
    ("table_modify prefixes MyIngress.send 0 4", "Modifying entry 0"),
    ("table_set_timeout routes 0 1000", "Setting a 1000 ms timeout for entry 0"),
    ("table_delete prefixes 0", "Deleting entry 0 from prefixes"),
    ("table_delete prefixes 0", "INVALID_HANDLE"),
    ("counter_read route_hits 0", "(0 bytes, 0 packets)"),
    ("meter_set_rates route_meter 0 0.1:1 0.2:2", ""),
    ("meter_get_rates route_meter 0", "0: info rate = 0.1, burst size = 1"),
    ("table_clear routes", ""),
    ("act_prof_create_member paths send 1", "created with handle 0"),
    ("act_prof_modify_member paths send 0 3", ""),
    ("act_prof_create_group paths", "created with handle 0"),
    ("act_prof_add_member_to_group paths 0 0", ""),
    ("act_prof_dump paths", "Members: [0]"),
    ("act_prof_dump_member paths 0", "Action entry: MyIngress.send - 03"),
    ("act_prof_dump_group paths 0", "Members: [0]"),
    ("table_indirect_create_member spread send 7", "created with handle 1"),
    ("table_indirect_create_group spread", "created with handle 1"),
    ("table_indirect_add_member_to_group spread 1 1", ""),
    ("table_dump_member spread 1", "Action entry: MyIngress.send - 07"),
    ("table_dump_group spread 1", "Members: [1]"),
    ("table_indirect_modify_member spread send 1 8", ""),
    ("table_indirect_add spread 0x800 => 0", "added with handle 0"),
    ("table_indirect_add_with_group spread 0x801 => 1", "added with handle 1"),
    ("table_indirect_set_default spread 0", ""),
    ("table_indirect_set_default_with_group spread 1", ""),
    ("table_indirect_reset_default spread", ""),
    ("table_indirect_delete_group spread 1", "GRP_STILL_USED"),
    ("table_indirect_delete spread 1", "Deleting entry 1"),
    ("table_indirect_remove_member_from_group spread 1 1", ""),
    ("table_indirect_delete_group spread 1", ""),
    ("table_indirect_delete_member spread 1", ""),
    ("act_prof_remove_member_from_group paths 0 0", ""),
    ("act_prof_delete_group paths 0", ""),
    ("act_prof_delete_member paths 0", "MBR_STILL_USED"),
    # As with BMv2, this command alone wants the whole name.
    ("counter_write MyIngress.seen 1 5 6", "has been updated"),
    ("counter_read seen 1", "seen[1]= (6 bytes, 5 packets)"),
    ("counter_reset seen", ""),
    ("counter_read seen 1", "(0 bytes, 0 packets)"),
    ("meter_set_rates policer 1 0.1:1 0.2:2", ""),
    ("meter_get_rates policer 1", "1: info rate = 0.2, burst size = 2"),
    ("meter_array_set_rates policer 0.3:1 0.4:2", ""),
    ("meter_get_rates policer 0", "0: info rate = 0.3, burst size = 1"),
    ("register_write last_port 1 7", ""),
    ("register_read last_port 1", "last_port[1]= 7"),
    ("register_read last_port", "0, 7, 0"),
    ("register_reset last_port", ""),
    ("register_read last_port 1", "last_port[1]= 0"),
    ("mc_mgrp_create 1", "Creating multicast group 1"),
    ("mc_node_create 5 1 2", "created with handle 0"),
    ("mc_node_associate 1 0", "Associating node 0"),
    ("mc_node_update 0 3", "Updating node 0"),
    ("mc_dump", "(L1h=0, rid=5) -> (ports=[3], lags=[])"),
    ("mc_node_dissociate 1 0", "Dissociating node 0"),
    ("mc_node_destroy 0", "Destroying node 0"),
    ("mc_mgrp_destroy 1", "Destroying multicast group 1"),
    ("mc_set_lag_membership 1 1 2", "Invalid PRE operation (ERROR)"),
    ("mirroring_add 5 2", ""),
    ("mirroring_get 5", "port=2"),
    ("mirroring_add_mc 6 1", ""),
    ("mirroring_delete 5", ""),
    ("mirroring_get 5", "Invalid mirroring operation"),
    ("set_queue_depth 20 1", ""),
    ("set_queue_rate 100 1", ""),
    ("get_time_elapsed", ""),
    ("get_time_since_epoch", ""),
    ("port_add no-such-if 9", "Invalid device manager operation"),
    ("port_remove 9", "Invalid device manager operation"),
    ("pvs_add MyParser.special 5", ""),
    ("pvs_get MyParser.special", "0005"),
    ("pvs_remove MyParser.special 5", ""),
    ("pvs_clear MyParser.special", ""),
    ("reset_state", ""),
    ("write_config_to_file {folder}/config.json", ""),
    ("load_new_config_file {folder}/config.json", "CONFIG_SWAP_DISABLED"),
    ("swap_configs", "CONFIG_SWAP_DISABLED"),
    ("set_crc16_parameters c 1 2 3 true true", "Error: Invalid crc16_custom name"),
    ("set_crc32_parameters c 1 2 3 true true", "Error: Invalid crc32_custom name"),
]
NOT_OF_THE_SWITCH = {"greet", "EOF", "shell", "help"}
ENDS_THE_CLIENT = {"serialize_state"}
"""BMv2's client knows no error of it."""
WITHOUT_OUTPUT_OF_ERRORS = ("Invalid", "Error", "Unknown")


def commands_of_the_client() -> set[str]:
    sys.path.append(bm_cli.__path__[0])
    import sswitch_CLI

    return {name.removeprefix("do_") for name in dir(sswitch_CLI.SimpleSwitchAPI) if name.startswith("do_")}


def check(server: ThriftListener, session: Sequence[tuple[str, str]]) -> None:
    """Each command of a session is answered as expected; an empty text: without an error."""
    lines = [line for line, _ in session]
    client = Path(sys.executable).with_name("simple_switch_CLI")
    result = subprocess.run(
        [client, "--thrift-port", str(server.port)],
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        check=True,
        timeout=TIMEOUT_S,
    )
    answers = result.stdout.split("RuntimeCmd: ")[1:]
    assert len(answers) == len(lines) + 1, result.stdout[-500:]
    for (line, expected), answer in zip(session, answers, strict=False):
        assert expected in answer, f"{line}: {answer}"
        if not expected:
            assert not any(word in answer for word in WITHOUT_OUTPUT_OF_ERRORS), f"{line}: {answer}"


def test_every_command_does_what_it_does_with_bmv2(server: ThriftListener, tmp_path: Path) -> None:
    check(server, [(line.format(folder=tmp_path), expected) for line, expected in SESSION])
    assert "MyIngress" in (tmp_path / "config.json").read_text()
    given = {line.split()[0] for line, _ in SESSION}
    assert commands_of_the_client() - given == NOT_OF_THE_SWITCH | ENDS_THE_CLIENT


OTHERS_SESSION = [
    ("table_set_default fixed drop", "DEFAULT_ENTRY_IS_CONST"),
    ("table_reset_default fixed", ""),
    ("table_add prefixes fwd 0xff/1 => 2", "added with handle 0"),
    ("table_dump_entry prefixes 0", "ff/1"),
    ("meter_set_rates policer 0 0.3:5 0.2:6", "INVALID_INFO_RATE_VALUE"),
    ("mc_mgrp_create 1", "Creating multicast group 1"),
    ("mc_mgrp_create 1", "Creating multicast group 1"),
    ("mc_mgrp_destroy 4", "Destroying multicast group 4"),
    ("mc_mgrp_create 0", "Invalid PRE operation (INVALID_MGID)"),
    ("mc_mgrp_create 70000", "Invalid PRE operation (INVALID_MGID)"),
    ("mirroring_add 40000 1", ""),
    ("mirroring_add -1 1", ""),
    ("set_queue_depth -1", ""),
    ("set_crc32_parameters calc 0x1EDC6F41 0xffffffff 0xffffffff true true", ""),
    ("set_crc16_parameters calc_0 0x1021 0xffff 0 false false", ""),
    ("table_num_entries prefixes", "1"),
]


def test_a_session_goes_on_as_with_bmv2(device: Device, server: ThriftListener) -> None:
    compiled = compile_p4(str(SESSION_PROGRAM))
    info = p4i.P4Info.FromString(compiled.p4info_binary)
    device.load(p4r.ForwardingPipelineConfig(p4info=info, p4_device_config=compiled.json.encode()))
    check(server, OTHERS_SESSION)
