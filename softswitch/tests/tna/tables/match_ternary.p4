// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Values with masks: the entry of the highest priority, in the program the first.

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
    table constant {
        key = {
            hdr.work.index: ternary;
            hdr.work.a: ternary;
        }
        actions = {
            give;
        }
        const entries = {
            (0x10 &&& 0xF0, 0x12345678): give(1);
            (0x10 &&& 0xF0, _): give(2);
            (_, 0x12340000 &&& 0xFFFF0000): give(3);
        }
        const default_action = give(4);
        size = 512;
    }
    table written {
        key = {
            hdr.work.a & 0xFFFFFF00: ternary @name("a");
            hdr.work.b: ternary;
        }
        actions = {
            give;
        }
        default_action = give(9);
        size = 512;
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
