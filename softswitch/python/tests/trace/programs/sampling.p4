// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Routes packets of IPv4 and tags a sample of them, of which a port's average and a row of a table say how large it is.

#include <v1model.p4>
#include "include/draw.p4"

header ethernet_t {
    bit<48> destination;
    bit<48> source;
    bit<16> type;
}

header ipv4_t {
    bit<4> version;
    bit<4> ihl;
    bit<8> tag;
    bit<16> total_length;
    bit<32> identification;
    bit<8> ttl;
    bit<8> protocol;
    bit<16> checksum;
    bit<32> source;
    bit<32> destination;
}

header transport_t {
    bit<16> source_port;
    bit<16> destination_port;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_t ipv4;
    transport_t transport;
}

struct metadata_t {
    bit<24> average;
    bit<24> chance;
}

parser Parse(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        transition parse_ethernet;
    }
    state parse_ethernet {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            0x0800: parse_ipv4;
            default: accept;
        }
    }
    state parse_ipv4 {
        packet.extract(hdr.ipv4);
        transition select(hdr.ipv4.protocol) {
            6 .. 17: parse_transport;
            default: accept;
        }
    }
    state parse_transport {
        packet.extract(hdr.transport);
        transition accept;
    }
}

control NoVerify(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control Route(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    action forward(bit<9> port, bit<48> source, bit<48> destination) {
        std.egress_spec = port;
        hdr.ethernet.source = source;
        hdr.ethernet.destination = destination;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
    }
    action discard() {
        mark_to_drop(std);
    }
    table ipv4_route {
        key = { hdr.ipv4.destination: lpm; }
        actions = { forward; discard; }
        default_action = discard;
    }

    apply {
        if (!hdr.ipv4.isValid()) {
            mark_to_drop(std);
        } else if (hdr.ipv4.ttl <= 1) {
            mark_to_drop(std);
        } else {
            ipv4_route.apply();
        }
    }
}

control Sample(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    register<bit<24>>(8) averages;
    Draw() draw;

    action set_chance(bit<24> chance) {
        meta.chance = chance;
    }
    table curve {
        key = {
            std.egress_port: exact @name("port");
            meta.average: range @name("average");
        }
        actions = { set_chance; NoAction; }
        default_action = NoAction;
    }

    apply {
        bit<32> index = (bit<32>) std.egress_port;
        averages.read(meta.average, index);
        if (curve.apply().hit) {
            bool chosen;
            draw.apply(index, meta.chance, chosen);
            if (chosen) {
                hdr.ipv4.tag = 0xff;
            }
        }
        averages.write(index, meta.average);
    }
}

control Compute(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.ipv4.isValid(), {
            hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.tag, hdr.ipv4.total_length, hdr.ipv4.identification,
            hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.source, hdr.ipv4.destination
        }, hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control Emit(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(Parse(), NoVerify(), Route(), Sample(), Compute(), Emit()) main;
