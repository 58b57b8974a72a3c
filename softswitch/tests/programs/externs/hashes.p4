// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Every hash algorithm, over fields of several widths, with and without a base and a limit.

#include <v1model.p4>

header h_t {
    bit<64> eight;
    bit<8> ninth;
    bit<16> crc16;
    bit<32> crc32;
    bit<16> csum16;
    bit<16> xor16;
    bit<16> identity;
    bit<8> bucket;
    bit<8> only_base;
    bit<16> crc16_custom;
    bit<32> crc32_custom;
}

#include "../include/one_header.p4"

control Compute(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 1;
        hash(hdr.h.crc16, HashAlgorithm.crc16, 16w0, { hdr.h.eight, hdr.h.ninth }, 32w0x10000);
        hash(hdr.h.crc32, HashAlgorithm.crc32, 32w0, { hdr.h.eight, hdr.h.ninth }, 64w0x100000000);
        hash(hdr.h.csum16, HashAlgorithm.csum16, 16w0, { hdr.h.eight }, 32w0x10000);
        hash(hdr.h.xor16, HashAlgorithm.xor16, 16w0, { hdr.h.eight[63:32], hdr.h.eight[31:0] }, 32w0x10000);
        hash(hdr.h.identity, HashAlgorithm.identity, 16w1, { hdr.h.eight[63:48] }, 32w0x100);
        hash<bit<8>, bit<8>, tuple<bit<64>, bit<8>>, bit<8>>(
            hdr.h.bucket, HashAlgorithm.crc16, 8w0x40, { hdr.h.eight, hdr.h.ninth }, 8w0x10);
        hash(hdr.h.only_base, HashAlgorithm.crc32, 8w7, { hdr.h.ninth }, 8w1);
        hash(hdr.h.crc16_custom, HashAlgorithm.crc16_custom, 16w0, { hdr.h.eight, hdr.h.ninth }, 32w0x10000);
        hash(hdr.h.crc32_custom, HashAlgorithm.crc32_custom, 32w0, { hdr.h.eight, hdr.h.ninth }, 64w0x100000000);
    }
}

V1Switch(ParseH(), NoVerify(), Compute(), NoEgress(), NoCompute(), EmitAll()) main;
