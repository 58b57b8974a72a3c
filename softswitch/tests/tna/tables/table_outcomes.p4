// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A program can ask a table that was applied for hit, miss, and the action.

#include "../include/work.p4"

control Ingress(
    inout headers_t hdr,
    inout empty_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    action first() {}
    action second() {}
    action none() {}
    table things {
        key = {
            hdr.work.index: exact;
        }
        actions = {
            first;
            second;
            none;
        }
        const default_action = none();
        const entries = {
            1: first();
            2: second();
            3: none();
        }
        idle_timeout = true;
    }
    table others {
        key = {
            hdr.work.op: exact;
        }
        actions = {
            NoAction;
        }
        const entries = {
            7: NoAction();
        }
    }
    apply {
        switch (things.apply().action_run) {
            first: {
                hdr.work.b = 1;
            }
            second: {
                hdr.work.b = 2;
                if (others.apply().hit) {
                    hdr.work.b = 27;
                }
            }
            default: {
                hdr.work.b = 9;
                if (others.apply().miss) {
                    exit;
                }
            }
        }
        ig_tm_md.ucast_egress_port = 2;
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
