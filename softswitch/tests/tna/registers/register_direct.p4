// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A register with a cell for each entry of a table.

#include "../include/work.p4"

control Ingress(
    inout headers_t hdr,
    inout empty_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    DirectRegister<bit<32>>(7) last;
    DirectRegisterAction<bit<32>, bit<32>>(last) exchange = {
        void apply(inout bit<32> value, out bit<32> rv) {
            rv = value;
            value = hdr.work.a;
        }
    };
    action remember(PortId_t port) {
        hdr.work.b = exchange.execute();
        ig_tm_md.ucast_egress_port = port;
    }
    action pass() {
        ig_tm_md.ucast_egress_port = 3;
    }
    table things {
        key = {
            hdr.work.index: exact;
        }
        actions = {
            remember;
            pass;
        }
        const default_action = pass();
        registers = last;
        size = 16;
    }
    apply {
        things.apply();
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
