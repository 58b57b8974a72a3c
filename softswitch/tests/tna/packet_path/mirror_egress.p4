// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A mirror of egress: the packet as it leaves, even where it then does not; the old form of the constructor, without a type.

#include <core.p4>
#include <tna.p4>

header kind_t {
    bit<8> kind;
}

header work_t {
    bit<8> op;
    bit<8> value;
}

struct ingress_headers_t {
    kind_t kind;
}

struct headers_t {
    kind_t kind;
    work_t work;
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
        // Egress can tell the packet from its mirror by the first byte.
        hdr.kind.setValid();
        hdr.kind.kind = 1;
        ig_tm_md.ucast_egress_port = 2;
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
        pkt.extract(hdr.kind);
        pkt.extract(hdr.work);
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
        if (hdr.kind.kind == 1) {
            hdr.kind.setInvalid();
            hdr.work.value = 0xEE;
            if (hdr.work.op != 0) {
                eg_dprsr_md.mirror_type = 0;
            }
            if (hdr.work.op == 2) {
                eg_dprsr_md.drop_ctl = 1;
            }
        } else {
            hdr.work.op = 0xC0;
        }
    }
}

control EgressDeparser(
    packet_out pkt,
    inout headers_t hdr,
    in empty_t md,
    in egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) {
    Mirror() mirror;
    apply {
        if (eg_dprsr_md.mirror_type == 0) {
            mirror.emit<kind_t>(7, {2});
        }
        pkt.emit(hdr);
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
