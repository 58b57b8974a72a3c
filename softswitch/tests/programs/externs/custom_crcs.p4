// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Custom CRCs: the parameters change while the program runs, of each calculation by itself.

#include <v1model.p4>

header h_t {
    bit<72> digits;
    bit<32> wide;
    bit<16> narrow;
    bit<32> other;
}

#include "../include/one_header.p4"

control Digest(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 1;
        hash(hdr.h.wide, HashAlgorithm.crc32_custom, 32w0, { hdr.h.digits }, 64w0x100000000);
        hash(hdr.h.narrow, HashAlgorithm.crc16_custom, 16w0, { hdr.h.digits }, 32w0x10000);
        hash(hdr.h.other, HashAlgorithm.crc32_custom, 32w0, { hdr.h.digits }, 64w0x100000000);
    }
}

V1Switch(ParseH(), NoVerify(), Digest(), NoEgress(), NoCompute(), EmitAll()) main;
