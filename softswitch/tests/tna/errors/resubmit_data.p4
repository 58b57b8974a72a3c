// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// More data than a resubmitted packet takes along.
// expect: 22:32: 72 bits of resubmit data: a packet takes at most 64 along; leave out what its second pass does not need

#include "../include/frame.p4"

header again_t {
    bit<64> value;
    bit<8> reason;
}

control Own(
    packet_out pkt,
    inout headers_t hdr,
    in metadata_t md,
    in ingress_intrinsic_metadata_for_deparser_t dprsr_md) {
    Resubmit(1) resubmit;
    apply {
        resubmit.emit();
        resubmit.emit<again_t>({ 1, md.colour });
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
