// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A low-pass filter for each entry of a table.

#include "../include/work.p4"

control Ingress(
    inout headers_t hdr,
    inout empty_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    DirectLpf<bit<32>>() average;
    action smooth() {
        hdr.work.b = average.execute(hdr.work.a);
    }
    table things {
        key = {
            hdr.work.index: exact;
        }
        actions = {
            smooth;
            NoAction;
        }
        const default_action = NoAction();
        filters = average;
        size = 16;
    }
    apply {
        things.apply();
        ig_tm_md.ucast_egress_port = 2;
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
