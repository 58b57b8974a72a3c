// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Algorithmic TCAM: the partition is matched exactly, the rest with masks.

#include "../include/work.p4"

control Ingress(
    inout headers_t hdr,
    inout empty_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Atcam(number_partitions = 256) partitions;
    action give(bit<8> value) {
        hdr.work.op = value;
    }
    table filters {
        key = {
            hdr.work.index: atcam_partition_index;
            hdr.work.a: ternary;
        }
        actions = {
            give;
        }
        const default_action = give(0);
        implementation = partitions;
        size = 1024;
    }
    apply {
        filters.apply();
        ig_tm_md.ucast_egress_port = 2;
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
