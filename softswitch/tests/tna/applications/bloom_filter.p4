// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A Bloom filter of two hashes: what was never added is seldom found, what was added always.

#include "../include/work.p4"

control Ingress(
    inout headers_t hdr,
    inout empty_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Hash<bit<10>>(HashAlgorithm_t.CRC16) first_hash;
    Hash<bit<10>>(HashAlgorithm_t.CRC32) second_hash;
    Register<bit<1>, bit<10>>(1024) first;
    Register<bit<1>, bit<10>>(1024) second;
    RegisterAction<bit<1>, bit<10>, bit<1>>(first) add_first = {
        void apply(inout bit<1> value, out bit<1> rv) {
            rv = value;
            value = 1;
        }
    };
    RegisterAction<bit<1>, bit<10>, bit<1>>(first) ask_first = {
        void apply(inout bit<1> value, out bit<1> rv) {
            rv = value;
        }
    };
    RegisterAction<bit<1>, bit<10>, bit<1>>(second) add_second = {
        void apply(inout bit<1> value, out bit<1> rv) {
            rv = value;
            value = 1;
        }
    };
    RegisterAction<bit<1>, bit<10>, bit<1>>(second) ask_second = {
        void apply(inout bit<1> value, out bit<1> rv) {
            rv = value;
        }
    };
    apply {
        bit<10> i = first_hash.get({hdr.work.a});
        bit<10> j = second_hash.get({hdr.work.a});
        bit<1> x;
        bit<1> y;
        if (hdr.work.op == 1) {
            x = add_first.execute(i);
            y = add_second.execute(j);
        } else {
            x = ask_first.execute(i);
            y = ask_second.execute(j);
        }
        hdr.work.b = 31w0 ++ (x & y);
        ig_tm_md.ucast_egress_port = 2;
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
