// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Mirrors of ingress: the packet as it came, behind a header of its own; two types, sessions with a length.

#include <core.p4>
#include <tna.p4>

const MirrorType_t PLAIN = 1;
const MirrorType_t TOLD = 2;

header work_t {
    bit<8> op;
    bit<8> value;
}

header told_t {
    bit<8> mark;
    bit<7> zero;
    PortId_t port;
}

struct headers_t {
    work_t work;
}

struct metadata_t {
    MirrorId_t session;
    PortId_t port;
}

struct empty_t {}

parser IngressParser(
    packet_in pkt,
    out headers_t hdr,
    out metadata_t md,
    out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        md = {0, 0};
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        pkt.extract(hdr.work);
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
        md.session = 5;
        md.port = ig_intr_md.ingress_port;
        if (hdr.work.op == 1) {
            ig_dprsr_md.mirror_type = PLAIN;
        } else if (hdr.work.op == 2) {
            ig_dprsr_md.mirror_type = TOLD;
            // The mirror is made all the same.
            ig_dprsr_md.drop_ctl = 1;
        } else if (hdr.work.op == 3) {
            ig_dprsr_md.mirror_type = TOLD;
            // No mirror.
            ig_dprsr_md.drop_ctl = 4;
        } else if (hdr.work.op == 4) {
            ig_dprsr_md.mirror_type = TOLD;
            md.session = 6;
        }
        hdr.work.value = 0xFF;
        ig_tm_md.ucast_egress_port = 2;
    }
}

control IngressDeparser(
    packet_out pkt,
    inout headers_t hdr,
    in metadata_t md,
    in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    Mirror(PLAIN) plain;
    Mirror(TOLD) told;
    apply {
        if (ig_dprsr_md.mirror_type == PLAIN) {
            plain.emit(md.session);
        }
        if (ig_dprsr_md.mirror_type == TOLD) {
            told.emit<told_t>(md.session, {0xC0, 0, md.port});
        }
        pkt.emit(hdr);
    }
}

parser EgressParser(packet_in pkt, out empty_t hdr, out empty_t md, out egress_intrinsic_metadata_t eg_intr_md) {
    state start {
        pkt.extract(eg_intr_md);
        transition accept;
    }
}

control Egress(
    inout empty_t hdr,
    inout empty_t md,
    in egress_intrinsic_metadata_t eg_intr_md,
    in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
    inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
    inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) {
    apply {}
}

control EgressDeparser(
    packet_out pkt,
    inout empty_t hdr,
    in empty_t md,
    in egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) {
    apply {}
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
