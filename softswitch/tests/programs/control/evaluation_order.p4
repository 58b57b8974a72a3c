// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Side effects in expressions: left to right, only the operands that are needed, one evaluation each.

#include <v1model.p4>

header h_t {
    bit<8> count;
    bit<8> difference;
    bit<8> read_first;
    bit<8> both;
    bit<8> either;
    bit<8> branch;
    bit<8> arguments;
    bit<8> left_index;
}

bit<8> next(inout bit<8> count) {
    count = count + 1;
    return count;
}

bit<8> digits(in bit<8> a, in bit<8> b, in bit<8> c) {
    return (a << 6) | (b << 3) | c;
}

#include "../include/one_header.p4"

control Compute(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    bit<8> n = 0;
    bit<8> m = 0;

    apply {
        std.egress_spec = 1;
        hdr.h.difference = next(n) - next(n);       // 1 - 2
        hdr.h.read_first = n + next(n) * 16;        // 2 + 3 * 16

        hdr.h.both = 0;
        if (hdr.h.count == 1 && next(n) == 4) {     // counts only if count is 1
            hdr.h.both = 1;
        }
        hdr.h.either = 0;
        if (hdr.h.count == 1 || next(m) == 1) {     // counts only if count is not 1
            hdr.h.either = 1;
        }
        hdr.h.branch = hdr.h.count == 1 ? next(n) : next(m);
        m = 0;
        hdr.h.arguments = digits(m, next(m), next(m));
        bit<8> nested = next(m) + (next(m) + (next(m) - m)); // 3 + (4 + (5 - 5))
        hdr.h.left_index = nested;
        hdr.h.count = n;
    }
}

V1Switch(ParseH(), NoVerify(), Compute(), NoEgress(), NoCompute(), EmitAll()) main;
