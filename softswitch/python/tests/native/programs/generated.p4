// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// All packets go to the CPU.

#include <core.p4>
#include <tna.p4>
#include "../../../../tests/tna/include/bare_egress.p4"

struct none_t {}

parser IngressParser(packet_in pkt, out none_t hdr, out none_t md, out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        transition accept;
    }
}

control Ingress(
    inout none_t hdr,
    inout none_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    apply {
        ig_tm_md.copy_to_cpu = 1;
    }
}

control IngressDeparser(
    packet_out pkt, inout none_t hdr, in none_t md, in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    apply {}
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
