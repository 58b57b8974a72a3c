// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// A policer: a meter colours the packets of each source, and red ones are dropped.
#include <core.p4>
#include <v1model.p4>

header ethernet_t { bit<48> destination; bit<48> source; bit<16> ether_type; }
header ipv4_t {
    bit<4> version; bit<4> ihl; bit<8> tos; bit<16> total_length;
    bit<16> identification; bit<3> flags; bit<13> fragment_offset;
    bit<8> ttl; bit<8> protocol; bit<16> checksum;
    bit<32> source; bit<32> destination;
}
struct headers_t { ethernet_t ethernet; ipv4_t ipv4; }
struct metadata_t { bit<2> colour; bit<8> customer; }

parser PoliceParser(packet_in packet, out headers_t headers, inout metadata_t metadata, inout standard_metadata_t standard) {
    state start {
        packet.extract(headers.ethernet);
        transition select(headers.ethernet.ether_type) { 0x0800: ipv4; default: accept; }
    }
    state ipv4 { packet.extract(headers.ipv4); transition accept; }
}

control PoliceIngress(inout headers_t headers, inout metadata_t metadata, inout standard_metadata_t standard) {
    meter(256, MeterType.bytes) rate;

    action send(bit<9> port) { standard.egress_spec = port; }
    action police(bit<8> customer) {
        metadata.customer = customer;
        rate.execute_meter((bit<32>)customer, metadata.colour);
    }
    action drop() { mark_to_drop(standard); }

    table forward { key = { headers.ipv4.destination: lpm; } actions = { send; drop; } default_action = drop(); }
    table customers { key = { headers.ipv4.source: lpm; } actions = { police; NoAction; } default_action = NoAction(); }
    table colours { key = { metadata.colour: exact; } actions = { drop; NoAction; } default_action = NoAction(); }

    apply {
        if (headers.ipv4.isValid()) {
            forward.apply();
            customers.apply();
            colours.apply();
        } else {
            drop();
        }
    }
}

control PoliceVerify(inout headers_t headers, inout metadata_t metadata) { apply {} }
control PoliceEgress(inout headers_t headers, inout metadata_t metadata, inout standard_metadata_t standard) { apply {} }
control PoliceCompute(inout headers_t headers, inout metadata_t metadata) { apply {} }
control PoliceDeparser(packet_out packet, in headers_t headers) {
    apply { packet.emit(headers.ethernet); packet.emit(headers.ipv4); }
}

V1Switch(PoliceParser(), PoliceVerify(), PoliceIngress(), PoliceEgress(), PoliceCompute(), PoliceDeparser()) main;
