// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Arithmetic: wrap-around, saturation, signed values, shifts, division and modulo by powers of two, comparisons, casts.

#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
    bit<8> sum;
    bit<8> difference;
    bit<8> product;
    bit<8> saturated_sum;
    bit<8> saturated_difference;
    bit<8> signed_saturated_sum;
    bit<8> left;
    bit<8> right;
    bit<8> signed_right;
    bit<8> negated;
    bit<8> quotient;
    bit<8> remainder;
    bit<8> logic;
    bit<8> comparisons;
    bit<16> extended;
    bit<16> sign_extended;
}

#include "../include/one_header.p4"

control Compute(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 1;
        bit<8> a = hdr.h.a;
        bit<8> b = hdr.h.b;
        int<8> sa = (int<8>) a;
        int<8> sb = (int<8>) b;

        hdr.h.sum = a + b;
        hdr.h.difference = a - b;
        hdr.h.product = a * b;
        hdr.h.saturated_sum = a |+| b;
        hdr.h.saturated_difference = a |-| b;
        hdr.h.signed_saturated_sum = (bit<8>) (sa |+| sb);
        hdr.h.left = a << b[1:0];
        hdr.h.right = a >> 2;
        hdr.h.signed_right = (bit<8>) (sa >> 2);
        hdr.h.negated = -a;
        hdr.h.quotient = a / 8;
        hdr.h.remainder = a % 16;
        hdr.h.logic = (a & ~b) | (b ^ 0x0F);
        hdr.h.comparisons = 0;
        if (a < b) { hdr.h.comparisons[0:0] = 1; }
        if (sa < sb) { hdr.h.comparisons[1:1] = 1; }
        if (a >= b) { hdr.h.comparisons[2:2] = 1; }
        if (sa <= -1 && sb > 0) { hdr.h.comparisons[3:3] = 1; }
        if (a != b) { hdr.h.comparisons[4:4] = 1; }
        hdr.h.comparisons[7:7] = (bit<1>) (a == b);
        hdr.h.extended = (bit<16>) a;
        hdr.h.sign_extended = (bit<16>) (int<16>) sa;
    }
}

V1Switch(ParseH(), NoVerify(), Compute(), NoEgress(), NoCompute(), EmitAll()) main;
