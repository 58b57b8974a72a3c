// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A register of the top level that ingress and egress use.
// expect: 41:9: register `cells` is used in ingress and in egress: Tofino's two pipelines share no memory

#include "../include/frame.p4"

Register<bit<32>, bit<16>>(1024) cells;

control Ingress(
    inout headers_t hdr,
    inout metadata_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    RegisterAction<bit<32>, bit<16>, bit<32>>(cells) load = {
        void apply(inout bit<32> value, out bit<32> rv) {
            rv = value;
        }
    };
    apply {
        md.value = load.execute(md.index);
    }
}

control OwnEgress(
    inout empty_t hdr,
    inout empty_t md,
    in egress_intrinsic_metadata_t eg_intr_md,
    in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
    inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
    inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) {
    RegisterAction<bit<32>, bit<16>, bit<32>>(cells) store = {
        void apply(inout bit<32> value) {
            value = (bit<32>) eg_intr_md.deq_qdepth;
        }
    };
    apply {
        store.execute(0);
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), OwnEgress(), EgressDeparser()) pipe;
Switch(pipe) main;
