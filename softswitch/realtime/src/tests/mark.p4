// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Forwards between ports 1 and 2, and marks packets that find a long queue.

#include <core.p4>
#include <v1model.p4>

const bit<19> LONG_PKTS = 40;
const bit<2> CE = 3;

header ethernet_t {
    bit<96> addresses;
    bit<16> kind;
}

header ipv4_t {
    bit<4> version;
    bit<4> words;
    bit<6> dscp;
    bit<2> congestion;
    bit<64> middle;
    bit<16> checksum;
    bit<64> addresses;
}

header ipv6_t {
    bit<4> version;
    bit<6> dscp;
    bit<2> congestion;
    bit<20> flow;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_t ipv4;
    ipv6_t ipv6;
}

struct metadata_t {}

parser Parse(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.kind) {
            0x0800: ipv4;
            0x86dd: ipv6;
            default: accept;
        }
    }
    state ipv4 {
        packet.extract(hdr.ipv4);
        transition accept;
    }
    state ipv6 {
        packet.extract(hdr.ipv6);
        transition accept;
    }
}

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control Forward(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 3 - std.ingress_port;
    }
}

control Mark(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        if (std.enq_qdepth >= LONG_PKTS) {
            if (hdr.ipv4.isValid()) {
                hdr.ipv4.congestion = CE;
            } else if (hdr.ipv6.isValid()) {
                hdr.ipv6.congestion = CE;
            }
        }
    }
}

control Update(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(
            hdr.ipv4.isValid(),
            {
                hdr.ipv4.version,
                hdr.ipv4.words,
                hdr.ipv4.dscp,
                hdr.ipv4.congestion,
                hdr.ipv4.middle,
                hdr.ipv4.addresses
            },
            hdr.ipv4.checksum,
            HashAlgorithm.csum16
        );
    }
}

control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(Parse(), Verify(), Forward(), Mark(), Update(), Deparse()) main;
