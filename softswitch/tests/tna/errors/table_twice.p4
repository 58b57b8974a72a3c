// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A table that is applied twice.
// expect: 30:13: table `pipe.Ingress.hosts` is applied twice on one path: Tofino applies a table once for each packet

#include "../include/frame.p4"

control Ingress(
    inout headers_t hdr,
    inout metadata_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    action mark() {
        md.flag = true;
    }
    table hosts {
        key = {
            hdr.ipv4.dst: exact;
        }
        actions = {
            mark;
        }
    }
    apply {
        hosts.apply();
        if (md.flag) {
            hosts.apply();
        }
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
