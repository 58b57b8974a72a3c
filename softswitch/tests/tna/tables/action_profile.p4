// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Two tables that share the members of an action profile.

#include "../include/work.p4"

control Ingress(
    inout headers_t hdr,
    inout empty_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    ActionProfile(16) members;
    action send(PortId_t port, bit<32> value) {
        ig_tm_md.ucast_egress_port = port;
        hdr.work.b = value;
    }
    action drop() {
        ig_dprsr_md.drop_ctl = 1;
    }
    table by_index {
        key = {
            hdr.work.index: exact;
        }
        actions = {
            send;
            drop;
        }
        implementation = members;
        size = 16;
    }
    table by_number {
        key = {
            hdr.work.a: ternary;
        }
        actions = {
            send;
            drop;
        }
        implementation = members;
        size = 16;
    }
    apply {
        if (hdr.work.op == 0) {
            by_index.apply();
        } else {
            by_number.apply();
        }
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
