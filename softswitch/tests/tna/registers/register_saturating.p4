// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Saturating and signed arithmetic in registers of 8 bits.

#include "../include/work.p4"

control Ingress(
    inout headers_t hdr,
    inout empty_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Register<bit<8>, bit<8>>(256, 200) counts;
    RegisterAction<bit<8>, bit<8>, bit<8>>(counts) up = {
        void apply(inout bit<8> value, out bit<8> rv) {
            value = value |+| hdr.work.a[7:0];
            rv = value;
        }
    };
    RegisterAction<bit<8>, bit<8>, bit<8>>(counts) down = {
        void apply(inout bit<8> value, out bit<8> rv) {
            value = value |-| hdr.work.a[7:0];
            rv = value;
        }
    };
    Register<int<8>, bit<8>>(256, 100) levels;
    RegisterAction<int<8>, bit<8>, int<8>>(levels) rise = {
        void apply(inout int<8> value, out int<8> rv) {
            value = value |+| (int<8>) hdr.work.a[7:0];
            rv = value;
        }
    };
    RegisterAction<int<8>, bit<8>, int<8>>(levels) fall = {
        void apply(inout int<8> value, out int<8> rv) {
            value = value |-| (int<8>) hdr.work.a[7:0];
            rv = value;
        }
    };
    apply {
        if (hdr.work.op == 0) {
            hdr.work.b[7:0] = up.execute(hdr.work.index);
        } else if (hdr.work.op == 1) {
            hdr.work.b[7:0] = down.execute(hdr.work.index);
        } else if (hdr.work.op == 2) {
            hdr.work.b[7:0] = (bit<8>) rise.execute(hdr.work.index);
        } else {
            hdr.work.b[7:0] = (bit<8>) fall.execute(hdr.work.index);
        }
        ig_tm_md.ucast_egress_port = 2;
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
