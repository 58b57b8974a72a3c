// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Division and modulo by constants that are no powers of two. p4c refuses them for BMv2, which itself has both
// operations, so this runs on the embedded target only.

#include <v1model.p4>

const bit<16> MTU_BYTES = 1500;

header h_t {
    bit<16> value;
    bit<16> quotient;
    bit<16> remainder;
    bit<8> digit;
}

#include "../include/one_header.p4"

control Compute(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 1;
        hdr.h.quotient = hdr.h.value / MTU_BYTES;
        hdr.h.remainder = hdr.h.value % MTU_BYTES;
        hdr.h.digit = (bit<8>) (hdr.h.value / 10 % 10);
    }
}

V1Switch(ParseH(), NoVerify(), Compute(), NoEgress(), NoCompute(), EmitAll()) main;
