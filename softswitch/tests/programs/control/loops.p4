// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Loops in actions: for with several variables, break and continue, nested.

#include <v1model.p4>

header h_t {
    bit<8> value;
    bit<8> ones;
    bit<8> highest;
    bit<8> odd_sum;
    bit<8> products;
}

struct headers_t {
    h_t h;
}

struct metadata_t {}

parser ParseH(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

#include "../include/stages.p4"

control Compute(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    action count_ones() {
        hdr.h.ones = 0;
        for (bit<8> i = 0, bit<8> rest = hdr.h.value; i < 8; i = i + 1, rest = rest >> 1) {
            hdr.h.ones = hdr.h.ones + (rest & 1);
        }
    }

    action find_highest() {
        hdr.h.highest = 0xFF;
        for (bit<8> place = 8; place > 0; place = place - 1) {
            if (hdr.h.value & (8w1 << (place - 1)) != 0) {
                hdr.h.highest = place - 1;
                break;
            }
        }
    }

    action add_odd() {
        hdr.h.odd_sum = 0;
        for (bit<8> n = 1; n <= 9; n = n + 1) {
            if (n & 1 == 0) {
                continue;
            }
            hdr.h.odd_sum = hdr.h.odd_sum + n;
        }
    }

    action multiply() {
        hdr.h.products = 0;
        for (bit<8> j = 1; j <= 3; j = j + 1) {
            for (bit<8> k = 1; k <= j; k = k + 1) {
                hdr.h.products = hdr.h.products + j * k;
            }
        }
    }

    apply {
        std.egress_spec = 1;
        count_ones();
        find_highest();
        add_odd();
        multiply();
    }
}

V1Switch(ParseH(), NoVerify(), Compute(), NoEgress(), NoCompute(), EmitAll()) main;
