// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Groups of an action profile: a hash chooses the member, and packets of one flow stay together.

#include "../include/work.p4"

control Ingress(
    inout headers_t hdr,
    inout empty_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Hash<bit<14>>(HashAlgorithm_t.CRC16) flow;
    ActionProfile(64) members;
    ActionSelector(members, flow, SelectorMode_t.FAIR, 8, 4) groups;
    Register<bit<8>, bit<8>>(256) last;
    RegisterAction<bit<8>, bit<8>, bit<8>>(last) exchange = {
        void apply(inout bit<8> value, out bit<8> rv) {
            rv = value;
            value = hdr.work.op;
        }
    };
    action choose(bit<8> way) {
        hdr.work.op = way;
    }
    table routes {
        key = {
            hdr.work.index: exact;
            hdr.work.a: selector;
            hdr.work.b: selector;
        }
        actions = {
            choose;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        implementation = groups;
        size = 16;
    }
    apply {
        routes.apply();
        // The way of the flow's last packet.
        hdr.work.b[7:0] = exchange.execute(hdr.work.a[7:0]);
        ig_tm_md.ucast_egress_port = 2;
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
