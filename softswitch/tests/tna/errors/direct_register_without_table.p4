// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A direct register whose action a table executes that does not name it.
// expect: 24:9: `pipe.Ingress.last` is used in an action of table `pipe.Ingress.hosts`, which does not name it: add `registers = ...` to the table

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
    }
    apply {
        hosts.apply();
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
