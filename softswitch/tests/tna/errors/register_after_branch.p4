// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// An access in a branch, and one after it.
// expect: 33:20: register `pipe.Ingress.cells` is accessed twice on one path: Tofino allows one access for each packet

#include "../include/frame.p4"

control Ingress(
    inout headers_t hdr,
    inout metadata_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Register<bit<32>, bit<16>>(1024) cells;
    RegisterAction<bit<32>, bit<16>, bit<32>>(cells) load = {
        void apply(inout bit<32> value, out bit<32> rv) {
            rv = value;
        }
    };
    RegisterAction<bit<32>, bit<16>, bit<32>>(cells) store = {
        void apply(inout bit<32> value) {
            value = md.value;
        }
    };
    apply {
        if (md.flag) {
            store.execute(0);
        } else {
            md.colour = 1;
        }
        md.value = load.execute(md.index);
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
