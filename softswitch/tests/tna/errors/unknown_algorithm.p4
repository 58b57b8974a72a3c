// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A hash algorithm that there is not.
// expect: 16:35: `HashAlgorithm_t` has no member `CRC24`: did you mean `CRC64`?

#include "../include/frame.p4"

control Ingress(
    inout headers_t hdr,
    inout metadata_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Hash<bit<16>>(HashAlgorithm_t.CRC24) hash;
    apply {
        md.index = hash.get({hdr.ipv4.src});
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
