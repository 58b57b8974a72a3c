// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A parameter of a register's action, which the control plane may change.

#include "../include/work.p4"

control Ingress(
    inout headers_t hdr,
    inout empty_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    RegisterParam<bit<32>>(100) limit;
    Register<bit<32>, bit<8>>(256) counts;
    RegisterAction<bit<32>, bit<8>, bit<32>>(counts) count_large = {
        void apply(inout bit<32> value, out bit<32> rv) {
            if (hdr.work.a > limit.read()) {
                value = value + 1;
            }
            rv = value;
        }
    };
    apply {
        hdr.work.b = count_large.execute(hdr.work.index);
        ig_tm_md.ucast_egress_port = 2;
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
