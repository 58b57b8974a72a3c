// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A hash in the deparser.
// expect: 16:29: `Hash` cannot be used in the ingress deparser: only in controls

#include "../include/frame.p4"

control Own(
    packet_out pkt,
    inout headers_t hdr,
    in metadata_t md,
    in ingress_intrinsic_metadata_for_deparser_t dprsr_md) {
    Hash<bit<16>>(HashAlgorithm_t.CRC16) hash;
    apply {
        hdr.ipv4.checksum = hash.get({hdr.ipv4.src});
        pkt.emit(hdr);
    }
}

control Ingress(
    inout headers_t hdr,
    inout metadata_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    apply {}
}

Pipeline(IngressParser(), Ingress(), Own(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
