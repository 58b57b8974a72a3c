// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A header in front of the packet has what ingress wants to tell egress.

#include <core.p4>
#include <tna.p4>

header bridge_t {
    bit<7> zero;
    PortId_t port;
    bit<48> came;
}

header report_t {
    bit<16> port;
    bit<48> passed;
}

struct headers_t {
    bridge_t bridge;
    report_t report;
}

struct empty_t {}

parser IngressParser(
    packet_in pkt,
    out headers_t hdr,
    out empty_t md,
    out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        transition accept;
    }
}

control Ingress(
    inout headers_t hdr,
    inout empty_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    apply {
        hdr.bridge.setValid();
        hdr.bridge.zero = 0;
        hdr.bridge.port = ig_intr_md.ingress_port;
        hdr.bridge.came = ig_prsr_md.global_tstamp;
        ig_tm_md.ucast_egress_port = 2;
    }
}

control IngressDeparser(
    packet_out pkt,
    inout headers_t hdr,
    in empty_t md,
    in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    apply {
        pkt.emit(hdr.bridge);
    }
}

parser EgressParser(packet_in pkt, out headers_t hdr, out empty_t md, out egress_intrinsic_metadata_t eg_intr_md) {
    state start {
        pkt.extract(eg_intr_md);
        pkt.extract(hdr.bridge);
        transition accept;
    }
}

control Egress(
    inout headers_t hdr,
    inout empty_t md,
    in egress_intrinsic_metadata_t eg_intr_md,
    in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
    inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
    inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) {
    apply {
        hdr.report.setValid();
        hdr.report.port = hdr.bridge.zero ++ hdr.bridge.port;
        hdr.report.passed = eg_prsr_md.global_tstamp - hdr.bridge.came;
        hdr.bridge.setInvalid();
    }
}

control EgressDeparser(
    packet_out pkt,
    inout headers_t hdr,
    in empty_t md,
    in egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) {
    apply {
        pkt.emit(hdr);
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
