// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A calculator: what the chip can do with two numbers in one action.

#include "../include/work.p4"

control Ingress(
    inout headers_t hdr,
    inout empty_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    action add() {
        hdr.work.b = hdr.work.a + hdr.work.b;
    }
    action subtract() {
        hdr.work.b = hdr.work.a - hdr.work.b;
    }
    action add_up_to_most() {
        hdr.work.b = hdr.work.a |+| hdr.work.b;
    }
    action subtract_down_to_0() {
        hdr.work.b = hdr.work.a |-| hdr.work.b;
    }
    action both() {
        hdr.work.b = hdr.work.a & hdr.work.b;
    }
    action either() {
        hdr.work.b = hdr.work.a ^ hdr.work.b;
    }
    action not_both() {
        hdr.work.b = ~(hdr.work.a & hdr.work.b);
    }
    action smaller() {
        hdr.work.b = min(hdr.work.a, hdr.work.b);
    }
    action larger() {
        hdr.work.b = max(hdr.work.a, hdr.work.b);
    }
    action shift_left() {
        hdr.work.b = hdr.work.a << 4;
    }
    action shift_right_signed() {
        hdr.work.b = (bit<32>) ((int<32>) hdr.work.a >> 4);
    }
    action swap_halves() {
        hdr.work.b = hdr.work.a[15:0] ++ hdr.work.a[31:16];
    }
    action funnel() {
        funnel_shift_right(hdr.work.b, hdr.work.a, hdr.work.b, 8);
    }
    table operations {
        key = {
            hdr.work.op: exact;
        }
        actions = {
            add;
            subtract;
            add_up_to_most;
            subtract_down_to_0;
            both;
            either;
            not_both;
            smaller;
            larger;
            shift_left;
            shift_right_signed;
            swap_halves;
            funnel;
            @defaultonly NoAction;
        }
        const entries = {
            0: add();
            1: subtract();
            2: add_up_to_most();
            3: subtract_down_to_0();
            4: both();
            5: either();
            6: not_both();
            7: smaller();
            8: larger();
            9: shift_left();
            10: shift_right_signed();
            11: swap_halves();
            12: funnel();
        }
        const default_action = NoAction();
    }
    apply {
        operations.apply();
        ig_tm_md.ucast_egress_port = 2;
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
