// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A count-min sketch: two rows of counters, of which the smaller one is nearest to the truth.

#include "../include/work.p4"

control Ingress(
    inout headers_t hdr,
    inout empty_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Hash<bit<8>>(HashAlgorithm_t.CRC8) first_hash;
    Hash<bit<8>>(HashAlgorithm_t.CRC32) second_hash;
    Register<bit<32>, bit<8>>(256) first;
    Register<bit<32>, bit<8>>(256) second;
    RegisterAction<bit<32>, bit<8>, bit<32>>(first) count_first = {
        void apply(inout bit<32> value, out bit<32> rv) {
            value = value |+| 1;
            rv = value;
        }
    };
    RegisterAction<bit<32>, bit<8>, bit<32>>(second) count_second = {
        void apply(inout bit<32> value, out bit<32> rv) {
            value = value |+| 1;
            rv = value;
        }
    };
    apply {
        bit<32> x = count_first.execute(first_hash.get({hdr.work.a}));
        bit<32> y = count_second.execute(second_hash.get({hdr.work.a}));
        hdr.work.b = min(x, y);
        ig_tm_md.ucast_egress_port = 2;
        // Whoever sends more than three is looked at.
        if (hdr.work.b[31:2] != 0) {
            ig_tm_md.copy_to_cpu = 1;
        }
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
