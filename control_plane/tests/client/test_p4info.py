# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The names and ids in P4Info that a controller uses: they outlive every change of names inside the program."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from finsy.proto import p4i
from google.protobuf import text_format
from quench_switch import compile_p4

PROGRAM = Path(__file__).resolve().parents[3] / "p4src" / "quench.p4"
SEGMENT = "start level1_base level1_slope level2_base level2_slope isq drop isq_level_base isq_level_slope isq_advice"
PARAMETERS = (
    "weight mean_transmission_q8_us decay_rate decay_shift count_per_packet count_per_byte wait mark_at_tail "
    "level1_codepoint level2_codepoint report_interval_us isq_in_dataplane once_per_path_mask spare_empty"
)
TABLES = {
    "QuenchIngress.routing.ipv4_route": (0x02000001, "destination"),
    "QuenchIngress.routing.ipv6_route": (0x02000002, "destination"),
    "QuenchIngress.next_hop.next_hop": (0x02000003, "group"),
    "QuenchIngress.next_hop.flow_seed": (0x02000004, ""),
    "QuenchIngress.profile.queue_profile": (0x02000010, "port queue"),
    "QuenchIngress.profile.profile_parameters": (0x02000011, "profile"),
    "QuenchIngress.classification.dscp_queue": (0x02000040, "dscp"),
    "QuenchIngress.arrival_decision.curve": (0x02DA42FD, "profile average"),
    "QuenchIngress.isq_format.isq_domain.ipv4_domain": (0x02000032, "source"),
    "QuenchIngress.isq_format.isq_domain.ipv6_domain": (0x02000033, "source"),
    "QuenchEgress.source_quench.router": (0x02000050, ""),
    "QuenchEgress.departure_decision.curve": (0x029E1D03, "profile average"),
}
ACTIONS = {
    "QuenchIngress.routing.no_route": (0x01000001, ""),
    "QuenchIngress.routing.forward": (0x01000002, "port source_mac destination_mac"),
    "QuenchIngress.next_hop.use_next_hop": (0x01000003, "port source_mac destination_mac"),
    "QuenchIngress.next_hop.use_seed": (0x01000004, "seed"),
    "QuenchIngress.routing.use_group": (0x01000005, "group"),
    "QuenchIngress.profile.use_profile": (0x01000010, "profile"),
    "QuenchIngress.profile.set_parameters": (0x01000011, PARAMETERS),
    "QuenchIngress.classification.use_queue": (0x01000040, "queue"),
    "QuenchIngress.arrival_decision.set_segment": (0x012A55A5, SEGMENT),
    "QuenchIngress.isq_format.isq_domain.inside": (0x01000032, "format sender_knows"),
    "QuenchIngress.isq_format.isq_domain.outside": (0x01000033, ""),
    "QuenchEgress.source_quench.use_address": (0x01000050, "address ipv6_address"),
    "QuenchEgress.departure_decision.set_segment": (0x0152DA85, SEGMENT),
}
COUNTERS = (
    "port_seen port_marked port_dropped_early port_dropped_forced port_cloned "
    "port_isq_sent port_isq_limited port_isq_ipv6 port_isq_once_per_path port_isq_refused "
    "port_dropped_invalid port_dropped_vlan port_dropped_isq"
)
PACKET_IN = "reason level ingress_port egress_port queue pad0 depth_pkts average_q16_pkts time_us isq_level isq_advice"
PACKET_OUT = "egress_port submit_to_ingress pad0"


EXTENDED = "QUENCH_EXTENDED"


def compiled(*defines: str) -> p4i.P4Info:
    return text_format.Parse(compile_p4(str(PROGRAM), defines=defines).p4info_text, p4i.P4Info())


@pytest.fixture(scope="module")
def p4info() -> p4i.P4Info:
    return compiled()


def described(entities: Iterable[Any], members: str) -> dict[str, tuple[int, str]]:
    """Id and members of each entity; the ids of the members count up from 1."""
    found = {}
    for entity in entities:
        inner = getattr(entity, members)
        assert [each.id for each in inner] == list(range(1, len(inner) + 1))
        found[entity.preamble.name] = (entity.preamble.id, " ".join(each.name for each in inner))
    return found


def test_tables_with_rows_of_a_controller(p4info: p4i.P4Info) -> None:
    tables = [table for table in p4info.tables if not table.is_const_table]
    assert described(tables, "match_fields") == TABLES


def test_actions_of_these_tables(p4info: p4i.P4Info) -> None:
    used = {use.id for table in p4info.tables if not table.is_const_table for use in table.action_refs}
    actions = [action for action in p4info.actions if action.preamble.id in used]
    found = described(actions, "params")
    assert {name: found[name] for name in ACTIONS} == ACTIONS
    assert {name.rpartition(".")[2] for name in found.keys() - ACTIONS.keys()} == {"NoAction", "set_below"}


def test_the_embedded_switchs_build_has_one_parameter_more(p4info: p4i.P4Info) -> None:
    extended = compiled(EXTENDED)
    parameters = described(extended.actions, "params")["QuenchIngress.profile.set_parameters"]
    assert parameters == (0x01000011, f"{PARAMETERS} depth_per_byte")
    for known in (extended, p4info):
        for action in list(known.actions):
            if "present_depth" in action.preamble.name:
                known.actions.remove(action)
    (action,) = (each for each in extended.actions if each.preamble.id == 0x01000011)
    del action.params[-1]
    assert extended == p4info


def test_counters_and_the_meter(p4info: p4i.P4Info) -> None:
    counters = {counter.preamble.id: counter.preamble.name for counter in p4info.counters}
    assert counters == dict(enumerate(COUNTERS.split(), 0x12000001))
    assert [(meter.preamble.id, meter.preamble.name) for meter in p4info.meters] == [(0x14000001, "isq_meter")]


def test_headers_of_packets_to_and_from_the_controller(p4info: p4i.P4Info) -> None:
    headers = {name: fields for name, (_, fields) in described(p4info.controller_packet_metadata, "metadata").items()}
    assert headers == {"packet_in": PACKET_IN, "packet_out": PACKET_OUT}
