// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Actions: called like functions with in and out arguments, calling others, with branches, bound in the table's list.

#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
    bit<8> d;
}

action add_to(inout bit<8> value, bit<8> increment) {
    value = value + increment;
}

action double(inout bit<8> value) {
    value = value + value;
}

#include "../include/one_header.p4"

control Act(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    bit<8> calls = 0;

    action limit(inout bit<8> value, in bit<8> top) {
        calls = calls + 1;
        if (value > top) {
            value = top;
        } else if (value == 0) {
            value = 1;
        } else {
            bit<8> room = top - value;
            value = value + (room >> 1);
        }
    }

    action limit_twice(bit<8> top, bit<1> again) {
        limit(hdr.h.b, top);
        if (again == 1) {
            limit(hdr.h.b, top);
        }
        hdr.h.a = hdr.h.b;
    }

    // hdr.h.c is bound here, `increment` comes with the entry.
    table bound {
        key = { hdr.h.a: exact; }
        actions = { add_to(hdr.h.c); limit_twice; NoAction; }
        default_action = NoAction;
    }

    apply {
        std.egress_spec = 1;
        bound.apply();
        limit(hdr.h.d, 100);
        double(hdr.h.d);
        hdr.h.d = hdr.h.d + calls;
    }
}

V1Switch(ParseH(), NoVerify(), Act(), NoEgress(), NoCompute(), EmitAll()) main;
