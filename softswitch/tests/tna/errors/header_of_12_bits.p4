// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A header that is not whole bytes.
// expect: 9:1: header `tag_t` has 12 bits: Tofino's headers are whole bytes

#include "../include/frame.p4"

header tag_t {
    bit<12> value;
}

control EmitTag(
    packet_out pkt,
    inout empty_t hdr,
    in empty_t md,
    in egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) {
    apply {
        tag_t tag = {12};
        pkt.emit(tag);
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

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EmitTag()) pipe;
Switch(pipe) main;
