// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Copy-in copy-out: one variable bound to several parameters, an action that writes what its caller passed.

#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> c;
    bit<8> d;
    bit<8> e;
    bit<8> f;
}

// With one variable for both, the last parameter is copied out last.
void add_one_and_ten(inout bit<8> one, inout bit<8> ten) {
    one = one + 1;
    ten = ten + 10;
}

// `before` is a copy that later writes to the same variable do not change.
void add_before(in bit<8> before, inout bit<8> sum) {
    sum = sum + 1;
    sum = sum + before;
}

void split(in bit<8> value, out bit<4> high, out bit<4> low) {
    high = value[7:4];
    low = value[3:0];
}

bit<8> default_step(inout bit<8> value, in bit<8> step = 3) {
    value = value + step;
    return step;
}

#include "../include/one_header.p4"

control Doubler(inout bit<8> value, in bit<8> times, out bit<8> before) {
    apply {
        before = value;
        value = value * times;
    }
}

control Compute(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    Doubler() doubler;

    // The write to hdr.h.c is lost when c is the argument: `value` is copied out after it.
    action increment(inout bit<8> value) {
        value = value + 1;
        hdr.h.c = 0xEE;
    }

    apply {
        std.egress_spec = 1;
        add_one_and_ten(hdr.h.a, hdr.h.a);
        add_before(hdr.h.b, hdr.h.b);
        increment(hdr.h.c);
        bit<4> low;
        split(hdr.h.d, _, low);
        split(value = hdr.h.d, low = hdr.h.d[7:4], high = hdr.h.d[3:0]);
        doubler.apply(hdr.h.e, (bit<8>) low, hdr.h.f);
        hdr.h.f = hdr.h.f + default_step(value = hdr.h.e) + default_step(hdr.h.e, 5);
    }
}

V1Switch(ParseH(), NoVerify(), Compute(), NoEgress(), NoCompute(), EmitAll()) main;
