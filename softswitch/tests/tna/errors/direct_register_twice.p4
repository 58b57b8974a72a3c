// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Two accesses in one action.
// expect: 25:29: register `pipe.Ingress.last` is accessed twice on one path: Tofino allows one access for each packet

#include "../include/frame.p4"

control Ingress(
    inout headers_t hdr,
    inout metadata_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    DirectRegister<bit<16>>() last;
    DirectRegisterAction<bit<16>, bit<16>>(last) remember = {
        void apply(inout bit<16> value, out bit<16> rv) {
            rv = value;
            value = hdr.ipv4.id;
        }
    };
    action remember_twice() {
        md.index = remember.execute();
        hdr.ipv4.checksum = remember.execute();
    }
    table hosts {
        key = {
            hdr.ipv4.dst: exact;
        }
        actions = {
            remember_twice;
        }
        registers = last;
    }
    apply {
        hosts.apply();
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
