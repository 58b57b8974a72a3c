// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A port is one only where it was written and not invalidated: 0 is a port, too.

#include "../include/work.p4"

control Ingress(
    inout headers_t hdr,
    inout empty_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    apply {
        if (hdr.work.op != 0) {
            ig_tm_md.ucast_egress_port = 0;
        }
        if (hdr.work.op == 2) {
            invalidate(ig_tm_md.ucast_egress_port);
        }
        if (is_validated(ig_tm_md.ucast_egress_port)) {
            hdr.work.b = 1;
        }
        if (!is_validated(ig_tm_md.ucast_egress_port) && hdr.work.index == 1) {
            hdr.work.b = 2;
            ig_tm_md.ucast_egress_port = 3;
        }
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
