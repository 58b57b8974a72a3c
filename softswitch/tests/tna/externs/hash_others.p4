// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Hashes that are no CRCs: the lower bits of the input, and words of it by exclusive or; and one of both directions.

#include "../include/work.p4"

control Ingress(
    inout headers_t hdr,
    inout empty_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Hash<bit<16>>(HashAlgorithm_t.IDENTITY) identity;
    Hash<bit<8>>(HashAlgorithm_t.XOR8) xor8;
    Hash<bit<16>>(HashAlgorithm_t.XOR16) xor16;
    Hash<bit<32>>(HashAlgorithm_t.XOR32) xor32;
    @symmetric("hdr.work.a", "hdr.work.b")
    Hash<bit<32>>(HashAlgorithm_t.CRC32) both_ways;
    Hash<bit<16>>(HashAlgorithm_t.RANDOM) random;
    apply {
        bit<32> result = 0;
        if (hdr.work.op == 0) {
            result[15:0] = identity.get({hdr.work.index, hdr.work.a[7:0], hdr.work.b[7:0]});
        } else if (hdr.work.op == 1) {
            result[7:0] = xor8.get({hdr.work.a, hdr.work.index});
        } else if (hdr.work.op == 2) {
            result[15:0] = xor16.get(hdr.work.a);
        } else if (hdr.work.op == 3) {
            result = xor32.get({hdr.work.a, hdr.work.b});
        } else if (hdr.work.op == 4) {
            result = both_ways.get({hdr.work.a, hdr.work.b});
        } else {
            result[15:0] = random.get({hdr.work.a});
        }
        hdr.work.b = result;
        ig_tm_md.ucast_egress_port = 2;
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
