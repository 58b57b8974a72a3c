// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A register of single bits, which gives the bit that it finds.

#include "../include/work.p4"

control Ingress(
    inout headers_t hdr,
    inout empty_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Register<bit<1>, bit<8>>(256) bits;
    RegisterAction<bit<1>, bit<8>, bit<1>>(bits) set_bit = {
        void apply(inout bit<1> value, out bit<1> rv) {
            rv = value;
            value = 1;
        }
    };
    RegisterAction<bit<1>, bit<8>, bit<1>>(bits) clear_bit = {
        void apply(inout bit<1> value, out bit<1> rv) {
            rv = value;
            value = 0;
        }
    };
    apply {
        bit<1> old;
        if (hdr.work.op == 1) {
            old = set_bit.execute(hdr.work.index);
        } else {
            old = clear_bit.execute(hdr.work.index);
        }
        hdr.work.b[0:0] = old;
        ig_tm_md.ucast_egress_port = 2;
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
