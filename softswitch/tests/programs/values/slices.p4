// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Parts of values: slices read and written, `+:` with a constant width, nested slices, concatenation, assignment operators.

#include <v1model.p4>

header h_t {
    bit<16> source;
    bit<8> middle;
    bit<16> written;
    bit<16> swapped;
    bit<8> plus;
    bit<4> joined_high;
    bit<4> joined_low;
    bit<8> counted;
}

bit<4> take(inout bit<4> nibble) {
    bit<4> old = nibble;
    nibble = 0xC;
    return old;
}

#include "../include/one_header.p4"

control Compute(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 1;
        hdr.h.middle = hdr.h.source[11:4];

        hdr.h.written[15:8] = hdr.h.source[7:0];
        hdr.h.written[3:0] = 4w9;
        hdr.h.written[4:4] = hdr.h.source[15:15];

        hdr.h.swapped = hdr.h.source[7:0] ++ hdr.h.source[15:8];
        hdr.h.swapped[7:4] = hdr.h.swapped[7:4] + 1;     // no carry out of the slice

        hdr.h.plus[4+:4] = hdr.h.source[0+:4];
        hdr.h.plus[3:0] = hdr.h.source[15:4][7:4];

        hdr.h.joined_high = take(hdr.h.middle[7:4]);
        bit<12> wide = hdr.h.joined_high ++ 8w0xFF;
        hdr.h.joined_low = wide[9:6];

        hdr.h.counted += 3;
        hdr.h.counted <<= 1;
        hdr.h.counted |= 0x80;
        hdr.h.counted ^= 0x01;
        hdr.h.counted -= 1;
        hdr.h.counted &= 0xFE;
        hdr.h.counted |+|= 0x70;
    }
}

V1Switch(ParseH(), NoVerify(), Compute(), NoEgress(), NoCompute(), EmitAll()) main;
