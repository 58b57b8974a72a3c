// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Sub-controls: nested, with constructor parameters, tables of their own, one instance applied twice, applied directly.

#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
    bit<8> d;
}

#include "../include/one_header.p4"

control Scale(inout bit<8> value)(bit<8> factor, bit<8> offset = 1) {
    bit<8> scaled = value * factor;

    apply {
        value = scaled + offset;
    }
}

control Translate(inout bit<8> value, out bool found)(bit<8> missing) {
    action set(bit<8> new_value) {
        value = new_value;
    }
    action set_missing() {
        value = missing;
    }
    table dictionary {
        key = { value: exact; }
        actions = { set; set_missing; }
        default_action = set_missing();
    }

    apply {
        found = dictionary.apply().hit;
    }
}

control Both(inout bit<8> value)(bit<8> factor) {
    Scale(factor) scale;
    Scale(factor = 2, offset = 0) doubler;

    apply {
        if (value == 0) {
            return; // from this control only
        }
        scale.apply(value);
        doubler.apply(value);
    }
}

control Invert(inout bit<8> value) {
    apply {
        value = ~value;
    }
}

control Compute(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    Scale(3) tripled;
    Both(5) both;
    Translate(0xEE) first;
    Translate(0xDD) second;

    apply {
        bool found;
        std.egress_spec = 1;
        tripled.apply(hdr.h.a);
        tripled.apply(hdr.h.a);     // 3(3a + 1) + 1
        both.apply(hdr.h.b);        // 2(5b + 1), or 0
        first.apply(hdr.h.c, found);
        if (!found) {
            second.apply(hdr.h.d, found);
        }
        Invert.apply(hdr.h.a);
    }
}

V1Switch(ParseH(), NoVerify(), Compute(), NoEgress(), NoCompute(), EmitAll()) main;
