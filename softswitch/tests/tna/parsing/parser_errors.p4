// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A program that reads parser_err gets packets with errors, too: the bits that say which.

#include <core.p4>
#include <tna.p4>
#include "../include/bare_egress.p4"

header head_t {
    bit<8> kind;
}

header body_t {
    bit<32> value;
}

header report_t {
    bit<16> errors;
}

struct headers_t {
    report_t report;
    head_t head;
    body_t body;
}

parser IngressParser(
    packet_in pkt,
    out headers_t hdr,
    out empty_t md,
    out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        pkt.extract(hdr.head);
        transition select(hdr.head.kind) {
            1: body;
            2: accept;
            3: reject;
        }
    }
    state body {
        pkt.extract(hdr.body);
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
        hdr.report.errors = ig_prsr_md.parser_err;
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
