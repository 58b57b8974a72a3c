// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A direct counter that two tables name.
// expect: 36:9: `pipe.Ingress.packets` belongs to two tables: a `DirectCounter` belongs to one

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
        counters = packets;
    }
    table sources {
        key = {
            hdr.ipv4.src: exact;
        }
        actions = {
            count;
        }
        counters = packets;
    }
    apply {
        hosts.apply();
        sources.apply();
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
