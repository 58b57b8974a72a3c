// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A meter of bytes for each entry of a table. The length has the frame's check sequence, which the program takes off.

#include "../include/work.p4"

control Ingress(
    inout headers_t hdr,
    inout empty_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    DirectMeter(MeterType_t.BYTES) rate;
    action limit() {
        hdr.work.op = rate.execute(adjust_byte_count = 4);
    }
    action limit_yellow() {
        hdr.work.op = rate.execute(color = MeterColor_t.YELLOW);
    }
    table things {
        key = {
            hdr.work.index: exact;
        }
        actions = {
            limit;
            limit_yellow;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        meters = rate;
        size = 16;
    }
    apply {
        things.apply();
        ig_tm_md.ucast_egress_port = 2;
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
