// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Resubmission at the end of egress.
// expect: 16:9: `Resubmit` cannot be used in the egress deparser: only in ingress

#include "../include/frame.p4"

control Own(
    packet_out pkt,
    inout empty_t hdr,
    in empty_t md,
    in egress_intrinsic_metadata_for_deparser_t dprsr_md) {
    Resubmit(1) resubmit;
    apply {
        resubmit.emit();
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

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), Own()) pipe;
Switch(pipe) main;
