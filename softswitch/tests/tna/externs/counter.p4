// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Counters of packets and bytes: frames have their check sequence of four bytes, unless the program takes it off.

#include "../include/work.p4"

control Ingress(
    inout headers_t hdr,
    inout empty_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Counter<bit<64>, bit<8>>(256, CounterType_t.PACKETS_AND_BYTES) all;
    Counter<bit<32>, bit<8>>(256, CounterType_t.BYTES) frames;
    Counter<bit<32>, PortId_t>(512, CounterType_t.PACKETS) ports;
    apply {
        all.count(hdr.work.index);
        frames.count(hdr.work.index, 4);
        ports.count(ig_intr_md.ingress_port);
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
