// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The chip tells ingress a packet's port, when it came, and whether it was here before.

#include <core.p4>
#include <tna.p4>
#include "../include/bare_egress.p4"

header report_t {
    bit<7> zero;
    PortId_t port;
    bit<48> at_mac;
    bit<48> at_parser;
    bit<16> errors;
    bit<4> flags;
    bit<4> version;
}

struct headers_t {
    report_t report;
}

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
        hdr.report.setValid();
        hdr.report.zero = 0;
        hdr.report.port = ig_intr_md.ingress_port;
        hdr.report.at_mac = ig_intr_md.ingress_mac_tstamp;
        hdr.report.at_parser = ig_prsr_md.global_tstamp;
        hdr.report.errors = ig_prsr_md.parser_err;
        hdr.report.flags = 3w0 ++ ig_intr_md.resubmit_flag;
        hdr.report.version = 2w0 ++ ig_intr_md.packet_version;
        ig_tm_md.ucast_egress_port = 2;
    }
}

control IngressDeparser(
    packet_out pkt,
    inout headers_t hdr,
    in empty_t md,
    in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    apply {
        pkt.emit(hdr);
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
