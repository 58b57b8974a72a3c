// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Ranges, both ends included.

#include "../include/work.p4"

control Ingress(
    inout headers_t hdr,
    inout empty_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    action give(bit<8> value) {
        hdr.work.op = value;
    }
    table lengths {
        key = {
            hdr.work.a[15:0]: range @name("length");
            hdr.work.index: exact;
        }
        actions = {
            give;
        }
        const default_action = give(0);
        size = 512;
    }
    apply {
        lengths.apply();
        ig_tm_md.ucast_egress_port = 2;
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
