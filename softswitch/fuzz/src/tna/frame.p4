// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The parts that all random programs share. The comments in capitals are replaced.

#include <core.p4>
#include <tna.p4>

    // TYPES

struct pairb8_t { bit<8> low; bit<8> high; }
struct pairb16_t { bit<16> low; bit<16> high; }
struct pairb32_t { bit<32> low; bit<32> high; }
struct pairs8_t { int<8> low; int<8> high; }
struct pairs16_t { int<16> low; int<16> high; }
struct pairs32_t { int<32> low; int<32> high; }
struct port_t { bit<32> zone; }
header again_t { bit<16> number; bit<48> unused; }
header mirror_t { bit<8> kind; bit<16> number; }
struct digest_t { bit<9> port; bit<32> number; }

    // INGRESS_PARTS
    // EGRESS_PARTS

parser IngressParser(
    packet_in pkt,
    out headers_t hdr,
    out metadata_t md,
    out ingress_intrinsic_metadata_t ig_intr_md) {
    // INGRESS_PARSER
}

control Ingress(
    inout headers_t hdr,
    inout metadata_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    // INGRESS_DECLARATIONS
    apply {
        ig_tm_md.ucast_egress_port = 2;
    // INGRESS_BODY
    }
}

control IngressDeparser(
    packet_out pkt,
    inout headers_t hdr,
    in metadata_t md,
    in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    // INGRESS_COPIES
    apply {
    // INGRESS_DEPARSER
    }
}

parser EgressParser(
    packet_in pkt,
    out headers_t hdr,
    out metadata_t md,
    out egress_intrinsic_metadata_t eg_intr_md) {
    // EGRESS_PARSER
}

control Egress(
    inout headers_t hdr,
    inout metadata_t md,
    in egress_intrinsic_metadata_t eg_intr_md,
    in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
    inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
    inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) {
    // EGRESS_DECLARATIONS
    apply {
    // EGRESS_BODY
    }
}

control EgressDeparser(
    packet_out pkt,
    inout headers_t hdr,
    in metadata_t md,
    in egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) {
    // EGRESS_COPIES
    apply {
    // EGRESS_DEPARSER
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
