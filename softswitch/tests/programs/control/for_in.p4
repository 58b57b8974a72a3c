// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Loops over a range, and loops in the body of a control. p4c for BMv2 refuses the first and loses the second, so this
// runs on the embedded target only.

#include <v1model.p4>

header h_t {
    bit<8> value;
    bit<8> sum;
    bit<8> odd_sum;
    bit<8> first_multiple;
    bit<8> ones;
}

#include "../include/one_header.p4"

control Compute(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 1;
        hdr.h.sum = 0;
        for (bit<8> n in 0 .. 3) {
            hdr.h.sum = hdr.h.sum + hdr.h.value + n;
        }

        hdr.h.odd_sum = 0;
        for (bit<8> n in 1 .. 9) {
            if (n & 1 == 0) {
                continue;
            }
            hdr.h.odd_sum = hdr.h.odd_sum + n;
        }

        hdr.h.first_multiple = 0;
        for (bit<8> n in 1 .. 4) {
            hdr.h.first_multiple = n * 7;
            if (hdr.h.first_multiple > hdr.h.value) {
                break;
            }
        }

        hdr.h.ones = 0;
        for (bit<8> rest = hdr.h.value; rest != 0 && hdr.h.ones < 8; rest = rest & (rest - 1)) {
            hdr.h.ones = hdr.h.ones + 1;
        }
    }
}

V1Switch(ParseH(), NoVerify(), Compute(), NoEgress(), NoCompute(), EmitAll()) main;
