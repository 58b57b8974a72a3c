// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Metadata of a port: extracted where it stands before the packet.

#include <core.p4>
#include <tna.p4>
#include "../include/bare_egress.p4"

header port_metadata_t {
    bit<16> vrf;
    bit<32> mark;
    bit<16> unused;
}

header report_t {
    bit<16> vrf;
    bit<32> mark;
}

struct headers_t {
    report_t report;
}

struct metadata_t {
    port_metadata_t port;
}

parser IngressParser(
    packet_in pkt,
    out headers_t hdr,
    out metadata_t md,
    out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        pkt.extract(md.port);
        transition accept;
    }
}

control Ingress(
    inout headers_t hdr,
    inout metadata_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    apply {
        hdr.report.setValid();
        hdr.report.vrf = md.port.vrf;
        hdr.report.mark = md.port.mark;
        ig_tm_md.ucast_egress_port = 2;
    }
}

control IngressDeparser(
    packet_out pkt,
    inout headers_t hdr,
    in metadata_t md,
    in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    apply {
        pkt.emit(hdr);
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
