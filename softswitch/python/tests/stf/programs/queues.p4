// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The first byte of a packet chooses its queue.

#include <v1model.p4>

header order_t {
    bit<8> queue;
    bit<8> number;
}

struct headers_t {
    order_t order;
}

struct metadata_t {}

parser ParseOrder(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.order);
        transition accept;
    }
}

control Check(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control Choose(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 1;
        std.priority = hdr.order.queue[2:0];
    }
}

control Leave(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {}
}

control Emit(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(ParseOrder(), Check(), Choose(), Leave(), Check(), Emit()) main;
