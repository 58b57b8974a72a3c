# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of public programs: what their authors say of them, as STF texts.

Queues fill because a port sends a few packets a second, and packets arrive a millisecond apart.
"""

from collections.abc import Callable
from typing import Final

from quench_interop.public_ciphers import aes_two_rounds, half_sip
from quench_interop.public_packets import (
    DESTINATION,
    ETHERNET,
    SOURCE,
    arrives,
    internet_sum,
    ipv4,
    numbered,
    tcp_frame,
    udp_frame,
)

ADDRESS: Final = f"0x{DESTINATION.hex()}"
MAC: Final = "0x020000000009"


def stf(*lines: str) -> str:
    """The text of statements, at whose end nothing else has come out."""
    return "\n".join([*lines, "no_packet", ""])


def codel() -> str:
    """The drops of p4-codel at 105 packets a second: the first after an interval, then by its table of square roots.

    A packet is sent every 9.52 ms, so packet 1 is the first above the target of 5 ms, and packet 12 the first one an
    interval of 100 ms later. The next ones are 100, 70.7, 70.7, 50, ... ms later, rounded up to a packet: the table
    has 100 ms / sqrt(n) for powers of two.
    """
    steps = {1: 100_000, 2: 70_710, 4: 50_000, 8: 35_355}
    key = f"standard_metadata.ingress_port:1 hdr.ipv4.dstAddr:{ADDRESS}"
    lines = [f"add forwarding {key} forward(egress_spec:2, dst_mac:{MAC})"]
    prefix = {31: 100_000, 30: 70_710, 29: 50_000, 28: 35_355}
    lines += [
        f"add t_codel_control_law meta.codel.drop_cnt:0/{at} a_codel_control_law(value:{us})"
        for at, us in prefix.items()
    ]
    lines.append("set_queue_rate 105 2")
    dropped, at, count = set(), 12, 1
    while at < 64:
        dropped.add(at)
        wait_us = steps[1 << (count.bit_length() - 1)]
        at, count = at - (-wait_us * 105 // 1_000_000), count + 1
    lines += [f"packet 1 {numbered(number)}" for number in range(57)]
    return stf(*lines, *(arrives(2, number) for number in range(57) if number not in dropped))


def routed() -> str:
    """The entry of a table `ipv4_lpm` with the actions of p4lang's tutorials."""
    return f"add ipv4_lpm hdr.ipv4.dstAddr:{ADDRESS}/32 ipv4_forward(dstAddr:{MAC}, port:2)"


def red64() -> str:
    """RED of 64 packets: above 56 packets in the queue all are dropped; none of the rare draws below falls here."""
    return stf(
        routed(),
        "set_queue_rate 10 2",
        *(f"packet 1 {numbered(number)}" for number in range(64)),
        *(["wait"] * 8),
        *(arrives(2, number) for number in range(58)),
    )


def dropped_at_ingress(fill: int, counter: str) -> str:
    """A queue above its threshold makes copies that return to ingress, and the next packet is dropped there.

    By then the queue is empty: the decision is egress's, the drop is ingress's, and one drop ends it.
    """
    return stf(
        routed(),
        "mirroring_add 2 2",
        "set_queue_rate 50 2",
        *(f"packet 1 {numbered(number)}" for number in range(fill)),
        *(["wait"] * 4),
        f"packet 1 {numbered(1000)}",
        "wait",
        f"packet 1 {numbered(1001)}",
        *(arrives(2, number) for number in [*range(fill), 1001]),
        f"check_counter {counter}(2) packets == 1",
    )


def ired() -> str:
    """iRED: its threshold is 56 packets."""
    return dropped_at_ingress(64, "MyIngress.dropPkt")


def desired() -> str:
    """DESiRED: its threshold is twice the target of 80 ms; the port sends 50 packets a second."""
    return dropped_at_ingress(64, "MyIngress.dropPkt")


def sp_pifo() -> str:
    """SP-PIFO: a rank (Type of Service) below the bound of a queue goes to a queue above, past those that wait."""
    return stf(
        routed(),
        "set_queue_rate 1 2 0",
        *(f"packet 1 {numbered(rank, rank)}" for rank in (40, 50, 45, 60, 55, 44)),
        *(["wait"] * 3),
        *(arrives(2, rank) for rank in (40, 45, 55, 44, 50, 60)),
    )


def simple_router() -> str:
    """The commands of p4app's simple_router.config: the port, both MAC addresses, and a smaller time to live."""
    ethernet = "00aabb000000" + "000400000009" + "0800"
    changed = "000400000001" + "00aabb000001" + "0800"
    return stf(
        "setdefault send_frame _drop()",
        "setdefault forward _drop()",
        "setdefault ipv4_lpm _drop()",
        "add send_frame standard_metadata.egress_port:2 rewrite_mac(smac:0x00aabb000001)",
        f"add forward meta.ingress_metadata.nhop_ipv4:{ADDRESS} set_dmac(dmac:0x000400000001)",
        f"add ipv4_lpm hdr.ipv4.dstAddr:{ADDRESS}/32 set_nhop(nhop_ipv4:{ADDRESS}, port:2)",
        f"packet 1 {udp_frame(9, b'abcd', ethernet=ethernet)}",
        f"expect 2 {udp_frame(9, b'abcd', ttl=63, ethernet=changed)}$",
        f"packet 1 {udp_frame(9, b'abcd').replace(DESTINATION.hex(), '0a000003')}",
    )


def my_tunnel() -> str:
    """ONOS's MyTunnel: a header between Ethernet and IPv4 on the way in, and none on the way out."""
    packet = ipv4(b"abcd", 253).hex()
    tunnelled = f"{ETHERNET[:24]}121208000000002a{packet}"
    return stf(
        f"add t_tunnel_ingress hdr.ipv4.dst_addr:{ADDRESS}/32 my_tunnel_ingress(tun_id:42)",
        "add t_tunnel_fwd hdr.my_tunnel.tun_id:42 set_out_port(port:3)",
        f"packet 1 {ETHERNET}{packet}",
        f"expect 3 {tunnelled}$",
        "remove t_tunnel_fwd hdr.my_tunnel.tun_id:42",
        "add t_tunnel_fwd hdr.my_tunnel.tun_id:42 my_tunnel_egress(port:4)",
        f"packet 3 {tunnelled}",
        f"expect 4 {ETHERNET}{packet}$",
        f"packet 255 0200{ETHERNET}{packet}",
        f"expect 4 {ETHERNET}{packet}$",
    )


def acceptor() -> str:
    """A Paxos acceptor: it promises and votes in a round, tells its vote to a later one, and ignores an earlier one."""

    def message(kind: int, rnd: int, vrnd: int, who: int, value: int) -> str:
        fields = kind.to_bytes(2) + (5).to_bytes(4) + rnd.to_bytes(2) + vrnd.to_bytes(2) + who.to_bytes(2)
        return (fields + (32).to_bytes(4) + value.to_bytes(32)).hex()

    def to_acceptor(kind: int, rnd: int, value: int = 0) -> str:
        return f"packet 1 {udp_frame(0x8888, bytes.fromhex(message(kind, rnd, 0, 0, value)))}"

    def answer(kind: int, rnd: int, vrnd: int, value: int) -> str:
        return f"expect 2 {ETHERNET}{'*' * 40}04d28890{'*' * 8}{message(kind, rnd, vrnd, 7, value)}$"

    return stf(
        "register_write ingress.registerAcceptorID 0 7",
        "add acceptor_tbl hdr.paxos.msgtype:0 handle_1a()",
        "add acceptor_tbl hdr.paxos.msgtype:2 handle_2a()",
        "add forward_tbl meta.paxos_metadata.set_drop:0 forward(port:2)",
        "add transport_tbl meta.paxos_metadata.set_drop:0 set_UDPdstPort(dstPort:0x8890)",
        to_acceptor(0, 3),
        answer(1, 3, 0, 0),
        to_acceptor(2, 3, 99),
        answer(3, 3, 0, 99),
        to_acceptor(0, 2),
        to_acceptor(2, 2, 55),
        to_acceptor(0, 4),
        answer(1, 4, 3, 99),
    )


def product(one: int, other: int) -> int:
    """The product of two polynomials over bits."""
    if not other:
        return 0
    return (one if other & 1 else 0) ^ (product(one, other >> 1) << 1)


def polka() -> str:
    """PolKA: a node's port is the rest of the route's number, divided by the node's polynomial x^16 + 0x2d."""
    node = 0x1002D
    lines = []
    for port, factor in ((8, 1), (16, 0x1234567), (132, 0xFEDCBA9876543210FEDCBA9876543210)):
        route = (product(node, factor) ^ port).to_bytes(20)
        frame = f"{ETHERNET[:24]}810000011234{route.hex()}" + ipv4(b"abcd", 253).hex()
        lines += [f"packet 1 {frame}", f"expect {port} {frame}$"]
    return stf(*lines, f"packet 1 {ETHERNET}{ipv4(b'abcd', 253).hex()}")


def answering_switch() -> str:
    """tofino-simple-switch: it sends by MAC address, and answers ARP and pings."""
    mine, my_mac = "0a000064", "02000000ff01"
    request = bytes((8, 0)) + bytes(2) + bytes((0, 1, 0, 2)) + b"abcdefgh"
    request = request[:2] + internet_sum(request).to_bytes(2) + request[4:]
    reply = bytes((0, 0)) + bytes(2) + request[4:]
    reply = reply[:2] + internet_sum(reply).to_bytes(2) + reply[4:]
    host = "020000000001"
    asked = f"ffffffffffff{host}08060001080006040001{host}{SOURCE.hex()}000000000000{mine}"
    told = f"{host}{my_mac}08060001080006040002{my_mac}{mine}{host}{SOURCE.hex()}"
    ping = ipv4(request, 1).hex().replace(DESTINATION.hex(), mine)
    ping = ping[:20] + "0000" + ping[24:]
    ping = ping[:20] + f"{internet_sum(bytes.fromhex(ping[:40])):04x}" + ping[24:]
    pong = ping[:24] + mine + SOURCE.hex() + reply.hex()
    return stf(
        f"add forwarding_table H.eth.dst_addr:0x{host} forward(port:1)",
        "add forwarding_table H.eth.dst_addr:0x020000000002 forward(port:2)",
        f"add arp_table H.arp_ip4.dst_proto_addr:0x{mine} arp_resolve(mac:0x{my_mac})",
        f"add icmp_table H.ip4.dst_addr:0x{mine} icmp_echo_response()",
        f"packet 1 {ETHERNET}{ipv4(b'abcd', 253).hex()}",
        f"expect 2 {ETHERNET}{ipv4(b'abcd', 253).hex()}$",
        f"packet 1 {asked}",
        f"expect 1 {told}$",
        f"packet 1 {my_mac}{host}0800{ping}",
        f"expect 1 {host}{my_mac}0800{pong}$",
    )


def precision() -> str:
    """PRECISION: the destination address is the number of packets of a flow; the first of a flow takes a counter."""
    lines = []
    for port in (1000, 2000, 3000):
        for number in range(1, 6):
            frame = tcp_frame(port, number)
            counted = 0 if number == 1 else number
            lines += [f"packet 3 {frame}", f"expect 64 {counted:012x}{frame[12:]}$"]
    return stf(*lines)


def heavy_hitter(addresses: str) -> str:
    """A flow of which 1000 packets have passed is blocked, and another one passes."""
    entry = f"add ipv4_lpm hdr.ipv4.dstAddr:{ADDRESS}/32 ipv4_forward({addresses}:{MAC}, port:2)"
    numbers = range(1, 1004)
    sent = [f"packet 1 {tcp_frame(1000, number)}" for number in numbers]
    changed = [f"expect 2 {MAC[2:]}{'*' * 56}03e80050{number:08x}" for number in numbers[:1000]]
    return stf(
        entry, *sent, *changed, f"packet 1 {tcp_frame(1001, 1)}", f"expect 2 {MAC[2:]}{'*' * 56}03e9005000000001"
    )


def heavy_hitter_v1model() -> str:
    """p4-learning's heavy hitter."""
    return heavy_hitter("dstAddr")


def heavy_hitter_tna() -> str:
    """p4-utils' heavy hitter."""
    return heavy_hitter("dst_addr")


def fast_reroute() -> str:
    """p4-learning's fast reroute: a register says that a link is down, and the next packet takes the other way."""
    frame = udp_frame(9, b"abcd")
    moved = [f"expect {port} {MAC[2:-1]}{port}{frame[:12]}{frame[24:]}$" for port in (2, 3, 2)]
    sent = [f"packet 1 {frame}", moved[0], "register_write MyIngress.linkState 2 1", f"packet 1 {frame}", moved[1]]
    return stf(
        f"add ipv4_lpm hdr.ipv4.dstAddr:{ADDRESS}/32 read_port(index:5)",
        *(f"add rewrite_mac meta.nextHop:{port} rewriteMac(dstAddr:{MAC[:-1]}{port})" for port in (2, 3)),
        "register_write MyIngress.primaryNH 5 2",
        "register_write MyIngress.alternativeNH 5 3",
        *sent,
        "register_write MyIngress.linkState 2 0",
        f"packet 1 {frame}",
        moved[2],
    )


def crc16(data: bytes) -> int:
    """CRC-16/ARC, which is v1model's crc16."""
    register = 0
    for byte in data:
        register ^= byte
        for _ in range(8):
            register = (register >> 1) ^ (0xA001 if register & 1 else 0)
    return register


def ecmp() -> str:
    """p4-learning's ECMP: a flow's way is the CRC-16 of its addresses, ports and protocol, among three."""
    lines = [f"add ipv4_lpm hdr.ipv4.dstAddr:{ADDRESS}/32 ecmp_group(ecmp_group_id:1, num_nhops:3)"]
    for way in range(3):
        key = f"meta.ecmp_group_id:1 meta.ecmp_hash:{way}"
        lines.append(f"add ecmp_group_to_nhop {key} set_nhop(dstAddr:{MAC}, port:{way + 2})")
    for source_port in range(1000, 1024):
        way = crc16(SOURCE + DESTINATION + source_port.to_bytes(2) + (80).to_bytes(2) + bytes((6,))) % 3
        lines.append(f"packet 1 {tcp_frame(source_port, 1)}")
        lines.append(f"expect {way + 2} {MAC[2:]}{'*' * 56}{source_port:04x}0050")
    return stf(*lines)


def stamper() -> str:
    """P4STA: UDP packets get the time at which they leave to the device under test, then that of their return.

    The first packet of a test is sent after a second, and the other one a millisecond later.
    """
    data, sent, back = bytes(range(16)), f"{1_000_000:012x}", f"{1_001_000:012x}"
    head = f"{ETHERNET}{'*' * 56}"
    return stf(
        "add t_l1_forwarding standard_metadata.ingress_port:1 send(egress_port:2)",
        "add t_l1_forwarding standard_metadata.ingress_port:2 send(egress_port:1)",
        "add t_add_timestamp_header_udp standard_metadata.egress_spec:2 add_timestamp_header_udp(direction:0)",
        "add timestamp2_udp hdr.tcp_options_128bit_custom.myType:0x0f10 standard_metadata.ingress_port:2 "
        "add_timestamp2(threshold:100, direction:0)",
        f"packet 1 {udp_frame(9, bytes(16) + data)}",
        f"packet 2 {udp_frame(9, bytes.fromhex('0f10' + sent + '0' * 16) + data)}",
        f"expect 2 {head}0f10{sent}{'0' * 16}{data.hex()}$",
        f"expect 1 {head}0f10{sent}0000{back}{data.hex()}$",
    )


TESTS: Final[dict[str, Callable[[], str]]] = {
    "acceptor": acceptor,
    "aes-two-rounds": aes_two_rounds,
    "answering-switch": answering_switch,
    "codel": codel,
    "desired": desired,
    "ecmp": ecmp,
    "fast-reroute": fast_reroute,
    "half-sip-hash": half_sip,
    "heavy-hitter-tna": heavy_hitter_tna,
    "heavy-hitter-v1model": heavy_hitter_v1model,
    "ired": ired,
    "my-tunnel": my_tunnel,
    "polka": polka,
    "precision": precision,
    "red64": red64,
    "simple-router": simple_router,
    "sp-pifo": sp_pifo,
    "stamper": stamper,
}
"""The tests by name."""
