// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A direct counter that its table does not name.
// expect: 18:9: `pipe.Ingress.packets` is used in an action of table `pipe.Ingress.hosts`, which does not name it: add `counters = ...` to the table

#include "../include/frame.p4"

control Ingress(
    inout headers_t hdr,
    inout metadata_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    DirectCounter<bit<64>>(CounterType_t.PACKETS) packets;
    action count() {
        packets.count();
    }
    table hosts {
        key = {
            hdr.ipv4.dst: exact;
        }
        actions = {
            count;
        }
    }
    apply {
        hosts.apply();
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
