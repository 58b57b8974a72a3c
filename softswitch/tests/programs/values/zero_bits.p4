// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Values of no bits and of one bit with a sign; arbitrary integers as parameters of a control. Keys and parameters of
// actions of no bits; stacks and arrays without elements.

#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<0> nothing;
    int<1> sign;
    bit<7> rest;
    bit<8> b;
}

#include "../include/one_header.p4"

bit<0> none(inout bit<8> calls) {
    calls = calls + 1;
    return 0;
}

control Scaled(int factor, inout bit<8> value) {
    apply {
        value = value + factor;
        if (factor == 3) {
            value = value + (factor * 2 - 1);
        }
    }
}

control Change(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    bit<0> empty = 0;
    bit<8>[2] values = { 0x10, 0x20 };

    action set(bit<0> first, bit<8> second, bit<0> third) {
        hdr.h.nothing = first;
        empty = third;
        hdr.h.b = second;
    }

    table chosen {
        key = {
            empty: exact;
            hdr.h.b: exact;
            hdr.h.nothing: ternary;
        }
        actions = { set; }
        const entries = {
            (0, 1, 0): set(0, 0x21, 0);
            (0, 2, _): set(0, 0x22, 0);
        }
        const default_action = set(0, 0x2F, 0);
    }

    table added {
        key = { hdr.h.nothing: exact; }
        actions = { set; NoAction; }
    }

    apply {
        std.egress_spec = 1;
        if (hdr.h.a == 0x20) {
            chosen.apply();
        } else if (hdr.h.a == 0x30) {
            added.apply();
        } else if (hdr.h.a == 1) {
            empty = none(hdr.h.a);
            hdr.h.nothing = empty;
            hdr.h.b = empty ++ hdr.h.b[7:4] ++ hdr.h.nothing ++ (4w0 ^ (bit<4>) empty);
            if (empty == hdr.h.nothing && empty + empty == 0) {
                hdr.h.b = hdr.h.b + 1 + values[hdr.h.nothing];
            }
        } else if (hdr.h.a == 3) {
            hdr.h.b = (bit<8>) (int<8>) hdr.h.sign;
            hdr.h.sign = -hdr.h.sign;
            hdr.h.rest[0:0] = (bit<1>) hdr.h.sign;
            if (hdr.h.sign < 0) {
                hdr.h.sign = hdr.h.sign ^ -1;
            }
        } else {
            Scaled.apply(3, hdr.h.b);
        }
    }
}

V1Switch(ParseH(), NoVerify(), Change(), NoEgress(), NoCompute(), EmitAll()) main;
