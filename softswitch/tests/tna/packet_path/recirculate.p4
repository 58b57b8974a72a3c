// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Recirculation: what leaves at port 68 comes in again there, as a new packet.

#include "../include/work.p4"

control Ingress(
    inout headers_t hdr,
    inout empty_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    apply {
        hdr.work.a = hdr.work.a + hdr.work.b;
        hdr.work.op = hdr.work.op - 1;
        hdr.work.index = ig_intr_md.ingress_port[7:0];
        if (hdr.work.op == 0) {
            ig_tm_md.ucast_egress_port = 2;
        } else {
            ig_tm_md.ucast_egress_port = 68;
        }
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
