// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A direct register of a table, used outside of its actions.
// expect: 37:13: `pipe.Ingress.last` is used outside of its table's actions: a `DirectRegister` has one place for each entry

#include "../include/frame.p4"

control Ingress(
    inout headers_t hdr,
    inout metadata_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    DirectRegister<bit<32>>() last;
    DirectRegisterAction<bit<32>, bit<32>>(last) store = {
        void apply(inout bit<32> value, out bit<32> old) {
            old = value;
            value = hdr.ipv4.src;
        }
    };
    action remember() {
        store.execute();
    }
    table hosts {
        key = {
            hdr.ipv4.dst: exact;
        }
        actions = {
            remember;
        }
        registers = last;
    }
    apply {
        if (hdr.ipv4.ttl == 0) {
            store.execute();
        } else {
            hosts.apply();
        }
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
