// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Parser value sets, which only a controller fills: empty they match nothing, and later cases are looked at.

#include <v1model.p4>

struct pair_t {
    bit<8> high;
    bit<8> low;
}

header h_t {
    bit<8> high;
    bit<8> low;
    bit<8> path;
}

struct headers_t {
    h_t h;
}

struct metadata_t {
    bit<8> path;
}

parser ParseByPath(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    value_set<bit<8>>(4) highs;
    @name("pairs")
    value_set<pair_t>(4) high_low;

    state start {
        packet.extract(hdr.h);
        transition select(hdr.h.high) {
            highs: listed;
            0x01: one;
            default: pairs;
        }
    }

    state listed {
        meta.path = 1;
        transition accept;
    }

    state one {
        meta.path = 2;
        transition accept;
    }

    state pairs {
        transition select(hdr.h.high, hdr.h.low) {
            high_low: listed;
            (_, 0x02): two;
            default: accept;
        }
    }

    state two {
        meta.path = 3;
        transition accept;
    }
}

#include "../include/stages.p4"

control Report(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 1;
        hdr.h.path = meta.path;
    }
}

V1Switch(ParseByPath(), NoVerify(), Report(), NoEgress(), NoCompute(), EmitAll()) main;
