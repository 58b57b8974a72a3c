// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Everything here is known at compile time: unbounded integers, widths, slices, structs, tuples, static_assert.

#include <v1model.p4>

const int HUGE = (1 << 100) / 3; // 0x5555...5
const int PERCENT = (1000 * 3 + 7) % 256;
const int HALF_BITS = 4;
const bool LARGER = HUGE > 5 && !(PERCENT == 0);
const bit<8> MIDDLE = 16w0xABCD[11:4];
const bit<8> CHOSEN = LARGER ? 8w0x5A : 8w0;
const bit<8> ALL_ONES = (bit<8>)(-8s1);
const bit<8> JOINED = 4w0xA ++ 4w0b0101;
const bit<8> OCTAL = 8w0o1_7;

struct pair_t {
    bit<8> first;
    bit<8> second;
}

const pair_t PAIR = { second = 2 + 0x20, first = 1 };
const tuple<bit<8>, pair_t> NESTED = { 3, { 4, 5 } };

header h_t {
    bit<16> huge;
    bit<(2 * HALF_BITS)> percent;
    bit<8> middle;
    bit<8> chosen;
    bit<8> all_ones;
    bit<8> joined;
    bit<8> octal;
    bit<8> second;
    bit<8> nested;
    bit<8> size_bytes;
    bit<8> size_bits;
}

const bool CHECKED = static_assert(PERCENT == 191, "3007 modulo 256");

#include "../include/one_header.p4"

control Compute(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 1;
        hdr.h.huge = (bit<16>) HUGE;
        hdr.h.percent = PERCENT;
        hdr.h.middle = MIDDLE;
        hdr.h.chosen = CHOSEN;
        hdr.h.all_ones = ALL_ONES;
        hdr.h.joined = JOINED;
        hdr.h.octal = OCTAL;
        hdr.h.second = PAIR.second;
        hdr.h.nested = NESTED[1].second + NESTED[0];
        hdr.h.size_bytes = (bit<8>) hdr.h.minSizeInBytes();
        hdr.h.size_bits = (bit<8>) hdr.h.minSizeInBits();
    }
}

V1Switch(ParseH(), NoVerify(), Compute(), NoEgress(), NoCompute(), EmitAll()) main;
