// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The result of a register's action says which of its two comparisons hold.

#include "../include/work.p4"

struct range_t {
    bit<32> low;
    bit<32> high;
}

control Ingress(
    inout headers_t hdr,
    inout empty_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Register<range_t, bit<8>>(256, {10, 20}) ranges;
    RegisterAction<range_t, bit<8>, bit<8>>(ranges) compare = {
        void apply(inout range_t value, out bit<8> rv) {
            rv = this.predicate(value.low > hdr.work.a, value.high > hdr.work.a);
        }
    };
    apply {
        hdr.work.op = compare.execute(hdr.work.index);
        ig_tm_md.ucast_egress_port = 2;
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
