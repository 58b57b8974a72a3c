# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""SONiC PINS' own programs route, rewrite and punt packets, where a checkout is at hand.

``QUENCH_PINS`` names the checkout.
"""

import os
import struct
from ipaddress import ip_address
from pathlib import Path

import finsy as fy
import pytest
from finsy.proto import p4i, p4r
from google.protobuf import text_format
from quench_switch._native import VirtualSwitch, compile_p4
from quench_switch.p4runtime.entities import Entities
from quench_switch.p4runtime.packet_io import decode_packet_in, encode_packet_out
from quench_switch.p4runtime.verify import verify

CHECKOUT = os.environ.get("QUENCH_PINS")
CPU_PORT = 510
COPY_TO_CPU = 255
ROUTER = "02:00:00:00:00:01"
MS = 1_000_000
ANY_MAC = "ff:ff:ff:ff:ff:ff"

pytestmark = pytest.mark.skipif(CHECKOUT is None, reason="QUENCH_PINS names no checkout of sonic-pins")


class Network:
    """A program on a switch without interfaces; strings where P4Info has them, else numbers."""

    def __init__(self, program: str, defines: list[str]) -> None:
        path = Path(CHECKOUT or "") / "sai_p4/instantiations/google" / f"{program}.p4"
        output = compile_p4(str(path), defines=defines)
        info = text_format.Parse(output.p4info_text, p4i.P4Info())
        config = p4r.ForwardingPipelineConfig(p4info=info, p4_device_config=output.json.encode())
        self.pipeline = verify(config, CPU_PORT)
        self.switch = VirtualSwitch(cpu_port=CPU_PORT)
        self.switch.load(self.pipeline.program)
        self.schema = fy.P4Schema()
        self.schema.set_p4info(info)
        self._entities = Entities(self.pipeline, self.switch)
        self._strings = "PLATFORM_BMV2" not in defines
        self._now_ns = 0

    def name(self, text: str, number: int) -> str | int:
        return text if self._strings else number

    def insert(self, entity) -> None:
        error = self._entities.write((+entity).encode_update(self.schema))
        assert error is None, error

    def send(self, port: int, packet: bytes) -> list[tuple[int, bytes]]:
        self._now_ns += MS
        self.switch.receive(port, packet, self._now_ns)
        return [(out, frame) for out, frame, _ in self.switch.advance(self._now_ns)]


def ipv4(destination: str, ttl: int = 64) -> bytes:
    """A UDP packet to the router."""
    addresses = ip_address("10.1.0.1").packed + ip_address(destination).packed
    total = sum(struct.unpack("!10H", struct.pack("!BBHHHBBH", 0x45, 0, 28, 1, 0, ttl, 17, 0) + addresses))
    total = (total & 0xFFFF) + (total >> 16)
    checksum = ~((total & 0xFFFF) + (total >> 16)) & 0xFFFF
    header = struct.pack("!BBHHHBBH", 0x45, 0, 28, 1, 0, ttl, 17, checksum) + addresses
    macs = bytes.fromhex(ROUTER.replace(":", "")) + b"\x02\0\0\0\0\x99"
    return macs + b"\x08\0" + header + struct.pack("!HHHH", 1000, 2000, 8, 0)


@pytest.fixture(params=["middleblock", "tor", "fabric_border_router"])
def program(request):
    return request.param


@pytest.fixture(params=[[], ["PLATFORM_BMV2"]], ids=["strings", "bmv2"])
def network(request, program):
    """A router: 10.2.0.0/16 leaves by port 2, packets to 10.3.0.0/16 go to the CPU."""
    network = Network(program, request.param)
    vrf, hop, interface = network.name("vrf-1", 1), network.name("nexthop-1", 1), network.name("interface-1", 1)
    tables = {table.alias for table in network.schema.tables}
    if "disable_vlan_checks_table" in tables:
        network.insert(
            fy.P4TableEntry("disable_vlan_checks_table", action=fy.Action("disable_vlan_checks"), priority=1)
        )
    entries = [
        ("vrf_table", {"vrf_id": vrf}, fy.Action("no_action"), 0),
        ("acl_pre_ingress_table", {"is_ipv4": 1}, fy.Action("set_vrf", vrf_id=vrf), 1),
        ("l3_admit_table", {"dst_mac": f"{ROUTER}/&{ANY_MAC}"}, fy.Action("admit_to_l3"), 1),
        (
            "ipv4_table",
            {"vrf_id": vrf, "ipv4_dst": "10.2.0.0/16"},
            fy.Action("set_nexthop_id", nexthop_id=hop),
            0,
        ),
        (
            "nexthop_table",
            {"nexthop_id": hop},
            fy.Action("set_ip_nexthop", router_interface_id=interface, neighbor_id="fe80::2"),
            0,
        ),
        (
            "router_interface_table",
            {"router_interface_id": interface},
            fy.Action("unicast_set_port_and_src_mac", port=network.name("2", 2), src_mac="02:00:00:00:00:aa"),
            0,
        ),
        (
            "neighbor_table",
            {"router_interface_id": interface, "neighbor_id": "fe80::2"},
            fy.Action("set_dst_mac", dst_mac="02:00:00:00:00:bb"),
            0,
        ),
        (
            "acl_ingress_table",
            {"is_ipv4": 1, "dst_ip": "10.3.0.0/&255.255.0.0"},
            fy.Action("acl_trap", qos_queue=network.name("queue-7", 7)),
            1,
        ),
        (
            "ingress_clone_table",
            {"marked_to_copy": 1, "marked_to_mirror": 0},
            fy.Action("ingress_clone", clone_session=COPY_TO_CPU),
            1,
        ),
    ]
    for table, match, action, priority in entries:
        if table in tables:
            network.insert(fy.P4TableEntry(table, match=fy.Match(match), action=action, priority=priority))
    network.insert(fy.P4CloneSessionEntry(COPY_TO_CPU, replicas=[(CPU_PORT, 1)]))
    return network


def test_packets_are_routed_and_rewritten(network):
    packet = ipv4("10.2.3.4")
    ((port, routed),) = network.send(1, packet)
    assert port == 2
    assert routed[:12] == b"\x02\0\0\0\0\xbb" + b"\x02\0\0\0\0\xaa"
    assert routed[22] == packet[22] - 1
    assert network.send(1, ipv4("10.9.0.1")) == []


def test_trapped_packets_go_to_the_cpu(network):
    packet = ipv4("10.3.0.1")
    ((port, copy),) = network.send(1, packet)
    assert port == CPU_PORT
    message = decode_packet_in(network.pipeline.packet_in, copy)
    assert message.payload == packet
    if network.pipeline.packet_in is not None:
        assert message.metadata[0].value == b"\1"


def test_packets_of_the_controller_leave_by_their_port(network):
    header = network.schema.controller_packet_metadata["packet_out"]
    metadata = {"egress_port": network.name("3", 3), "submit_to_ingress": 0, "unused_pad": 0}
    message = p4r.PacketOut(payload=ipv4("10.9.0.1"), metadata=header.encode(metadata))
    packet = encode_packet_out(network.pipeline.packet_out, message)
    assert network.send(CPU_PORT, packet) == [(3, message.payload)]
