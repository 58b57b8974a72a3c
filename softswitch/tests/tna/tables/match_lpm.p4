// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The longest prefix that matches, in a table for TCAM and in one for the algorithm ALPM.

#include "../include/work.p4"

control Ingress(
    inout headers_t hdr,
    inout empty_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Alpm(number_partitions = 1024, subtrees_per_partition = 2) partitions;
    action give(bit<32> value) {
        hdr.work.b = value;
    }
    table prefixes {
        key = {
            hdr.work.a: lpm;
        }
        actions = {
            give;
        }
        default_action = give(0);
        size = 128;
    }
    table many_prefixes {
        key = {
            hdr.work.index: exact;
            hdr.work.a: lpm;
        }
        actions = {
            give;
        }
        default_action = give(0);
        alpm = partitions;
        size = 4096;
    }
    apply {
        if (hdr.work.op == 0) {
            prefixes.apply();
        } else {
            many_prefixes.apply();
        }
        ig_tm_md.ucast_egress_port = 2;
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
