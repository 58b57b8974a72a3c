// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Shows each packet at port 2 behind the port and time of its arrival, and its length. What comes by port 1 is
// recirculated before.

#include <core.p4>
#include <tna.p4>

header seen_t {
    bit<16> port;
    bit<48> time;
    bit<16> length;
}

struct none_t {}

struct headers_t {
    seen_t seen;
}

parser IngressParser(packet_in pkt, out headers_t hdr, out none_t md, out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        transition accept;
    }
}

control Ingress(
    inout headers_t hdr,
    inout none_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    apply {
        if (ig_intr_md.ingress_port == 1) {
            ig_tm_md.ucast_egress_port = 68;
            ig_tm_md.bypass_egress = 1;
        } else {
            hdr.seen.setValid();
            hdr.seen.port = (bit<16>)ig_intr_md.ingress_port;
            hdr.seen.time = ig_intr_md.ingress_mac_tstamp;
            ig_tm_md.ucast_egress_port = 2;
        }
    }
}

control IngressDeparser(
    packet_out pkt, inout headers_t hdr, in none_t md, in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    apply {
        pkt.emit(hdr);
    }
}

parser EgressParser(packet_in pkt, out headers_t hdr, out none_t md, out egress_intrinsic_metadata_t eg_intr_md) {
    state start {
        pkt.extract(eg_intr_md);
        pkt.extract(hdr.seen);
        transition accept;
    }
}

control Egress(
    inout headers_t hdr,
    inout none_t md,
    in egress_intrinsic_metadata_t eg_intr_md,
    in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
    inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
    inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) {
    apply {
        hdr.seen.length = eg_intr_md.pkt_length;
    }
}

control EgressDeparser(
    packet_out pkt, inout headers_t hdr, in none_t md, in egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) {
    apply {
        pkt.emit(hdr);
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
