// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A register of two words: the largest and the second largest of what comes.

#include "../include/work.p4"

struct pair_t {
    bit<32> largest;
    bit<32> second;
}

control Ingress(
    inout headers_t hdr,
    inout empty_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Register<pair_t, bit<8>>(256, {0, 0}) pairs;
    RegisterAction<pair_t, bit<8>, bit<32>>(pairs) insert = {
        void apply(inout pair_t value, out bit<32> rv) {
            if (hdr.work.a > value.largest) {
                value.second = value.largest;
                value.largest = hdr.work.a;
            } else if (hdr.work.a > value.second) {
                value.second = hdr.work.a;
            }
            rv = value.second;
        }
    };
    apply {
        hdr.work.b = insert.execute(hdr.work.index);
        ig_tm_md.ucast_egress_port = 2;
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
