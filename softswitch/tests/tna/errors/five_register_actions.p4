// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A register with more actions than its unit has programs.
// expect: 37:5: register `pipe.Ingress.cells` has 5 register actions: Tofino has room for 4

#include "../include/frame.p4"

control Ingress(
    inout headers_t hdr,
    inout metadata_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Register<bit<32>, bit<16>>(1024) cells;
    RegisterAction<bit<32>, bit<16>, bit<32>>(cells) add_1 = {
        void apply(inout bit<32> value) {
            value = value + 1;
        }
    };
    RegisterAction<bit<32>, bit<16>, bit<32>>(cells) add_2 = {
        void apply(inout bit<32> value) {
            value = value + 2;
        }
    };
    RegisterAction<bit<32>, bit<16>, bit<32>>(cells) add_3 = {
        void apply(inout bit<32> value) {
            value = value + 3;
        }
    };
    RegisterAction<bit<32>, bit<16>, bit<32>>(cells) add_4 = {
        void apply(inout bit<32> value) {
            value = value + 4;
        }
    };
    RegisterAction<bit<32>, bit<16>, bit<32>>(cells) add_5 = {
        void apply(inout bit<32> value) {
            value = value + 5;
        }
    };
    apply {
        switch (hdr.ipv4.protocol) {
            1: { add_1.execute(0); }
            2: { add_2.execute(0); }
            3: { add_3.execute(0); }
            4: { add_4.execute(0); }
            5: { add_5.execute(0); }
        }
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
