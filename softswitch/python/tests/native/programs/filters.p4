// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Filters of each kind, for Tofino.

#include "../../../../tests/tna/include/frame.p4"

control Ingress(
    inout headers_t hdr,
    inout metadata_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Lpf<bit<32>, bit<16>>(1024) average;
    Wred<bit<32>, bit<16>>(1024, 1, 0) early;
    DirectLpf<bit<32>>() host_average;

    action smooth() {
        md.value = host_average.execute(hdr.ipv4.dst);
    }
    table smoothed {
        key = {
            hdr.ethernet.dst: exact;
        }
        actions = {
            smooth;
        }
        filters = host_average;
        size = 128;
    }
    apply {
        smoothed.apply();
        bit<32> mean = average.execute(md.value, md.index);
        if (early.execute(mean, md.index) != 0) {
            ig_dprsr_md.drop_ctl = 1;
        }
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
