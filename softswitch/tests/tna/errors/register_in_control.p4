// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A control that has the register is applied twice.
// expect: 17:17: register `pipe.Ingress.count.cells` is accessed twice on one path: Tofino allows one access for each packet

#include "../include/frame.p4"

control Count(in bit<16> index, out bit<32> value) {
    Register<bit<32>, bit<16>>(1024) cells;
    RegisterAction<bit<32>, bit<16>, bit<32>>(cells) load = {
        void apply(inout bit<32> cell, out bit<32> rv) {
            rv = cell;
        }
    };
    apply {
        value = load.execute(index);
    }
}

control Ingress(
    inout headers_t hdr,
    inout metadata_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Count() count;
    apply {
        count.apply(md.index, md.value);
        count.apply(md.index, hdr.ipv4.src);
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
