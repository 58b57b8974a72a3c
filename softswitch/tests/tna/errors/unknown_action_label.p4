// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A case for an action that the table does not have.
// expect: 32:13: `drop` is not an action of table `Ingress.hosts`

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
    action drop() {
        ig_dprsr_md.drop_ctl = 1;
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
        switch (hosts.apply().action_run) {
            drop: {
                md.colour = 1;
            }
        }
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
