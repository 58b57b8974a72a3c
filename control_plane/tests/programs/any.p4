// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Tables of every match kind, counters, a register and a packet_out, for commands that know no program.

#include <core.p4>
#include <v1model.p4>

@p4runtime_translation("", string)
type bit<9> port_name_t;

@controller_header("packet_out")
header packet_out_t { bit<9> egress_port; @padding bit<7> pad; }
@controller_header("packet_in")
header packet_in_t { bit<9> ingress_port; @padding bit<7> pad; }
header ethernet_t { bit<48> dst; bit<48> src; bit<16> kind; }
header ipv4_t { bit<64> one; bit<8> ttl; bit<8> protocol; bit<16> checksum; bit<32> source; bit<32> destination; }
struct headers_t { packet_out_t packet_out; packet_in_t packet_in; ethernet_t ethernet; ipv4_t ipv4; }
struct metadata_t { port_name_t port_name; }

parser Parse(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start { transition select(std.ingress_port) { 510: from_cpu; default: ethernet; } }
    state from_cpu { packet.extract(hdr.packet_out); transition ethernet; }
    state ethernet { packet.extract(hdr.ethernet); transition select(hdr.ethernet.kind) { 0x800: ipv4; default: accept; } }
    state ipv4 { packet.extract(hdr.ipv4); transition accept; }
}
control Verify(inout headers_t hdr, inout metadata_t meta) { apply {} }
control Forwarding(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    counter(16, CounterType.packets_and_bytes) sent;
    direct_counter(CounterType.packets) routed;
    register<bit<32>>(8) last;
    action drop() { mark_to_drop(std); }
    action forward(bit<9> port, bit<48> mac) { std.egress_spec = port; hdr.ethernet.dst = mac; }
    action name_it(port_name_t name) { meta.port_name = name; }
    table route {
        key = { hdr.ipv4.destination: lpm; }
        actions = { forward; drop; }
        default_action = drop();
        counters = routed;
        size = 64;
    }
    table acl {
        key = { hdr.ethernet.kind: ternary; hdr.ipv4.protocol: range; hdr.ipv4.ttl: optional; }
        actions = { drop; NoAction; }
    }
    table named { key = { meta.port_name: exact; } actions = { name_it; NoAction; } }
    table fixed {
        key = { hdr.ipv4.ttl: exact; }
        actions = { NoAction; drop; }
        const entries = { 0: drop(); }
    }
    apply {
        if (hdr.packet_out.isValid()) {
            std.egress_spec = hdr.packet_out.egress_port;
            sent.count((bit<32>) hdr.packet_out.egress_port);
            last.write(0, (bit<32>) hdr.packet_out.egress_port);
        } else {
            route.apply(); acl.apply(); named.apply(); fixed.apply();
        }
        hdr.packet_out.setInvalid();
    }
}
control Leaving(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) { apply {} }
control Compute(inout headers_t hdr, inout metadata_t meta) { apply {} }
control Deparse(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
V1Switch(Parse(), Verify(), Forwarding(), Leaving(), Compute(), Deparse()) main;
