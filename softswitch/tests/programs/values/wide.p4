// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Values wider than a machine word: arithmetic, shifts, slices, comparison and matching on 128 and 200 bits.

#include <v1model.p4>

header h_t {
    bit<200> wide;
    bit<128> address;
    bit<8> flags;
}

const bit<200> ALL_ONES = ~200w0;

#include "../include/one_header.p4"

control Compute(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    action set_flags(bit<128> new_address) {
        hdr.h.flags[7:7] = 1;
        hdr.h.address = new_address;
    }
    table addresses {
        key = { hdr.h.address: lpm; }
        actions = { set_flags; NoAction; }
        default_action = NoAction();
    }
    table exact_wide {
        key = { hdr.h.wide[199:100]: exact @name("upper"); }
        actions = { set_flags; NoAction; }
    }

    apply {
        std.egress_spec = 1;
        hdr.h.flags = 0;
        if (hdr.h.wide == ALL_ONES) {
            hdr.h.flags = hdr.h.flags | 1;
        }
        if (hdr.h.wide > (200w1 << 199)) {
            hdr.h.flags = hdr.h.flags | 2;
        }
        exact_wide.apply();
        hdr.h.wide = (hdr.h.wide << 4) + 1;
        hdr.h.wide = hdr.h.wide - 200w0x10;
        hdr.h.wide[127:120] = 0xEE;
        addresses.apply();
    }
}

V1Switch(ParseH(), NoVerify(), Compute(), NoEgress(), NoCompute(), EmitAll()) main;
