// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Key sets of a `select` that are known only at run time.

#include <v1model.p4>

header h_t {
    bit<8> key;
    bit<8> value;
    bit<8> mask;
    int<8> low;
    int<8> high;
    bit<8> state;
}

struct headers_t {
    h_t h;
}

struct metadata_t {
    bit<8> state;
}

parser ParseH(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        meta.state = 0;
        transition select(hdr.h.key, (int<8>) hdr.h.key) {
            (hdr.h.value, _): equal;
            (hdr.h.value &&& hdr.h.mask, _): masked;
            (_, hdr.h.low .. hdr.h.high): between;
            (0xEE, -18): constant;
        }
    }

    state equal {
        meta.state = 1;
        transition accept;
    }

    state masked {
        meta.state = 2;
        transition accept;
    }

    state between {
        meta.state = 3;
        transition accept;
    }

    state constant {
        meta.state = 4;
        transition accept;
    }
}

#include "../include/stages.p4"

control Change(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 1;
        hdr.h.state = std.parser_error == error.NoMatch ? 8w0xFF : meta.state;
    }
}

V1Switch(ParseH(), NoVerify(), Change(), NoEgress(), NoCompute(), EmitAll()) main;
