// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A token counter: packets take tokens, others fill up what the control plane allows.

#include "../include/work.p4"

control Ingress(
    inout headers_t hdr,
    inout empty_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    RegisterParam<bit<32>>(3) most;
    Register<bit<32>, bit<8>>(256, 2) tokens;
    RegisterAction<bit<32>, bit<8>, bit<8>>(tokens) take = {
        void apply(inout bit<32> value, out bit<8> rv) {
            rv = 0;
            if (value > 0) {
                value = value - 1;
                rv = 1;
            }
        }
    };
    RegisterAction<bit<32>, bit<8>, bit<8>>(tokens) give = {
        void apply(inout bit<32> value, out bit<8> rv) {
            rv = 0;
            if (value < most.read()) {
                value = value + 1;
                rv = 1;
            }
        }
    };
    apply {
        bit<8> done;
        if (hdr.work.op == 0) {
            done = take.execute(hdr.work.index);
        } else {
            done = give.execute(hdr.work.index);
        }
        if (done == 1) {
            ig_tm_md.ucast_egress_port = 2;
        }
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
