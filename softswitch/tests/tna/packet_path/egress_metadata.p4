// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The chip tells egress the port, the copy, the queue with what was in it, and the length.

#include <core.p4>
#include <tna.p4>

header work_t {
    bit<8> queue;
}

header report_t {
    bit<16> port;
    bit<32> enqueued_behind;
    bit<32> left_behind;
    bit<16> rid;
    bit<8> rid_first;
    bit<8> queue;
    bit<16> length;
}

struct ingress_headers_t {
    work_t work;
}

struct headers_t {
    report_t report;
}

struct empty_t {}

parser IngressParser(
    packet_in pkt,
    out ingress_headers_t hdr,
    out empty_t md,
    out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        pkt.extract(hdr.work);
        transition accept;
    }
}

control Ingress(
    inout ingress_headers_t hdr,
    inout empty_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    apply {
        ig_tm_md.ucast_egress_port = 2;
        ig_tm_md.qid = hdr.work.queue[4:0];
    }
}

control IngressDeparser(
    packet_out pkt,
    inout ingress_headers_t hdr,
    in empty_t md,
    in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    apply {
        pkt.emit(hdr);
    }
}

parser EgressParser(packet_in pkt, out headers_t hdr, out empty_t md, out egress_intrinsic_metadata_t eg_intr_md) {
    state start {
        pkt.extract(eg_intr_md);
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
        hdr.report.port = 7w0 ++ eg_intr_md.egress_port;
        hdr.report.enqueued_behind = 13w0 ++ eg_intr_md.enq_qdepth;
        hdr.report.left_behind = 13w0 ++ eg_intr_md.deq_qdepth;
        hdr.report.rid = eg_intr_md.egress_rid;
        hdr.report.rid_first = 7w0 ++ eg_intr_md.egress_rid_first;
        hdr.report.queue = 3w0 ++ eg_intr_md.egress_qid;
        hdr.report.length = eg_intr_md.pkt_length;
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
