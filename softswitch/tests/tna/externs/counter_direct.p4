// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Counters of a table's entries: only the actions that call for it count.

#include "../include/work.p4"

control Ingress(
    inout headers_t hdr,
    inout empty_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    DirectCounter<bit<64>>(CounterType_t.PACKETS_AND_BYTES) hits;
    action count_it() {
        hits.count();
    }
    action leave_it() {}
    table things {
        key = {
            hdr.work.index: exact;
        }
        actions = {
            count_it;
            leave_it;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        counters = hits;
        size = 16;
    }
    apply {
        things.apply();
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
