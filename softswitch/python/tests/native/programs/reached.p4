// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// One part of each kind that a packet may or may not reach: by its first byte.

#include <v1model.p4>

header h_t {
    bit<8> kind;
}

header more_t {
    bit<8> value;
}

struct headers_t {
    h_t h;
    more_t more;
}

struct metadata_t {}

parser Parse(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        transition select(hdr.h.kind) {
            0x80 &&& 0x80: parse_more;
            default: accept;
        }
    }

    state parse_more {
        packet.extract(hdr.more);
        transition accept;
    }
}

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control Classify(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    action send(bit<9> port) {
        std.egress_spec = port;
    }

    action discard() {
        mark_to_drop(std);
    }

    table classes {
        key = {
            hdr.h.kind: ternary;
        }
        actions = {
            send;
            discard;
        }
        const default_action = discard();
        const entries = {
            1: send(1);
            0x80 &&& 0x80: send(2);
        }
    }

    apply {
        classes.apply();
    }
}

control Clear(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        if (hdr.more.isValid()) {
            hdr.more.value = 0;
        }
    }
}

control Compute(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control EmitAll(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(Parse(), Verify(), Classify(), Clear(), Compute(), EmitAll()) main;
