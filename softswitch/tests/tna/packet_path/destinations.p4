// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// One port, two groups and the CPU are independent of each other; bits of drop_ctl take them back.

#include "../include/work.p4"

control Ingress(
    inout headers_t hdr,
    inout empty_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    apply {
        if (hdr.work.op[0:0] == 1) {
            ig_tm_md.ucast_egress_port = 2;
        }
        if (hdr.work.op[1:1] == 1) {
            ig_tm_md.mcast_grp_a = 1;
        }
        if (hdr.work.op[2:2] == 1) {
            ig_tm_md.mcast_grp_b = 2;
        }
        if (hdr.work.op[3:3] == 1) {
            ig_tm_md.copy_to_cpu = 1;
        }
        ig_dprsr_md.drop_ctl = hdr.work.index[2:0];
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
