// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A math unit with a table of its own: its rows from the last to the first.

#include "../include/work.p4"

control Ingress(
    inout headers_t hdr,
    inout empty_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Register<bit<32>, bit<8>>(1) cells;
    MathUnit<bit<32>>(true, 2s0, 6s6, {150, 140, 130, 120, 110, 100, 90, 80, 7, 6, 5, 4, 3, 2, 1, 255}) curve;
    RegisterAction<bit<32>, bit<8>, bit<32>>(cells) bend = {
        void apply(inout bit<32> value, out bit<32> rv) {
            value = curve.execute(hdr.work.a);
            rv = value;
        }
    };
    apply {
        hdr.work.b = bend.execute(0);
        ig_tm_md.ucast_egress_port = 2;
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
