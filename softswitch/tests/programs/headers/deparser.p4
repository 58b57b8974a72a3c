// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Headers added, removed and moved: valid headers are emitted, in the order of the emits; a table in egress.

#include <v1model.p4>

header outer_t {
    bit<8> next;
    bit<8> ttl;
}

header label_t {
    bit<7> value;
    bit<1> bottom;
}

header inner_t {
    bit<16> id;
}

struct headers_t {
    inner_t inner;
    outer_t outer;
    label_t[3] labels;
    outer_t tunnel;
}

struct metadata_t {}

parser ParseLabels(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.outer);
        transition select(hdr.outer.next) {
            1: label;
            2: inner;
            default: accept;
        }
    }

    state label {
        packet.extract(hdr.labels.next);
        transition select(hdr.labels.last.bottom) {
            0: label;
            default: inner;
        }
    }

    state inner {
        packet.extract(hdr.inner);
        transition accept;
    }
}

#include "../include/stages.p4"

control Pop(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 1;
        if (hdr.labels[0].isValid()) {
            if (hdr.labels[0].bottom == 1) {
                hdr.outer.next = 2;
            }
            hdr.labels.pop_front(1);
        }
    }
}

control Tunnel(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    action encapsulate(bit<8> ttl) {
        hdr.tunnel = hdr.outer;
        hdr.outer.setInvalid();
        hdr.tunnel.ttl = ttl;
    }
    action decapsulate() {
        hdr.outer.setInvalid();
        hdr.inner.setInvalid();
    }
    table tunnels {
        key = { std.egress_port: exact; hdr.inner.id: lpm; }
        actions = { encapsulate; decapsulate; NoAction; }
    }

    apply {
        tunnels.apply();
    }
}

control Emit(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.tunnel);
        packet.emit(hdr.outer);
        packet.emit(hdr.labels);
        packet.emit(hdr.inner);
    }
}

V1Switch(ParseLabels(), NoVerify(), Pop(), Tunnel(), NoCompute(), Emit()) main;
