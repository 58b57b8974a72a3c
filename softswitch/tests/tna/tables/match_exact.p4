// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Exact keys: entries of the program and of the control plane, several fields, slices, a default action with data.

#include "../include/work.p4"

control Ingress(
    inout headers_t hdr,
    inout empty_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    action give(bit<32> value) {
        hdr.work.b = value;
    }
    table constant {
        key = {
            hdr.work.index: exact;
        }
        actions = {
            give;
        }
        const entries = {
            1: give(0x11);
            0xFF: give(0x22);
        }
        default_action = give(0x33);
        size = 16;
    }
    table written {
        key = {
            hdr.work.a[31:24]: exact @name("first");
            hdr.work.a[7:0]: exact @name("last");
        }
        actions = {
            give;
            NoAction;
        }
        default_action = NoAction();
        size = 1024;
    }
    apply {
        if (hdr.work.op == 0) {
            constant.apply();
        } else {
            written.apply();
        }
        ig_tm_md.ucast_egress_port = 2;
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
