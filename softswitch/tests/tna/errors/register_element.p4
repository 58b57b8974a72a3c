// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Elements of a size that there is not.
// expect: 16:5: register `pipe.Ingress.cells` cannot have elements of this type: Tofino's are of 1, 8, 16, 32 or 64 bits, or a pair of 8, 16 or 32

#include "../include/frame.p4"

control Ingress(
    inout headers_t hdr,
    inout metadata_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Register<bit<24>, bit<16>>(1024) cells;
    RegisterAction<bit<24>, bit<16>, bit<24>>(cells) load = {
        void apply(inout bit<24> value, out bit<24> rv) {
            rv = value;
        }
    };
    apply {
        md.value[23:0] = load.execute(md.index);
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
