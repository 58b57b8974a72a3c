// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Multicast: RIDs, the first copy of each, and exclusion at both levels.

#include <core.p4>
#include <tna.p4>

header work_t {
    bit<16> group;
    bit<16> rid;
    bit<16> level1;
    bit<16> level2;
}

header copy_t {
    bit<16> rid;
    bit<8> first;
}

struct ingress_headers_t {
    work_t work;
}

struct headers_t {
    copy_t copy;
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
        ig_tm_md.mcast_grp_a = hdr.work.group;
        ig_tm_md.rid = hdr.work.rid;
        ig_tm_md.level1_exclusion_id = hdr.work.level1;
        ig_tm_md.level2_exclusion_id = hdr.work.level2[8:0];
        hdr.work.setInvalid();
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
        hdr.copy.setValid();
        hdr.copy.rid = eg_intr_md.egress_rid;
        hdr.copy.first = 7w0 ++ eg_intr_md.egress_rid_first;
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
