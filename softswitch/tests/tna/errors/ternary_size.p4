// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// More entries than all TCAMs hold.
// expect: 16:5: table `pipe.Ingress.hosts` is too large: with 48 bits of `ternary` keys Tofino has room for 135168 entries

#include "../include/frame.p4"

control Ingress(
    inout headers_t hdr,
    inout metadata_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    table hosts {
        key = {
            hdr.ethernet.dst: ternary;
        }
        actions = {
            NoAction;
        }
        size = 200000;
    }
    apply {
        hosts.apply();
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
