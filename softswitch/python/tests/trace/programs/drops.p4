// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Drops by entries, by a statement, by an assertion, in egress, and by a port that there is not.

#include <v1model.p4>

header h_t {
    bit<8> key;
}

struct headers_t {
    h_t h;
}

struct metadata_t {}

parser ParseH(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

control Check(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control Filter(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    action deny() {
        mark_to_drop(std);
    }
    action permit() {
        std.egress_spec = 1;
    }
    table acl {
        key = { hdr.h.key: exact; }
        actions = { deny; permit; }
        default_action = permit;
        const entries = {
            1: deny();
            2: deny();
        }
    }
    apply {
        acl.apply();
        if (hdr.h.key == 3) {
            mark_to_drop(std);
        }
        assert(hdr.h.key != 4);
    }
}

control Leave(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        if (hdr.h.key == 5) {
            mark_to_drop(std);
        }
    }
}

control Emit(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(ParseH(), Check(), Filter(), Leave(), Check(), Emit()) main;
