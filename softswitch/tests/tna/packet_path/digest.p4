// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Digests: what the control plane learns, of two kinds, also of packets that are dropped.

#include <core.p4>
#include <tna.p4>
#include "../include/bare_egress.p4"

const DigestType_t SEEN = 1;
const DigestType_t LOST = 5;

header work_t {
    bit<8> op;
    bit<48> address;
}

struct headers_t {
    work_t work;
}

struct seen_t {
    bit<48> address;
    PortId_t port;
}

struct lost_t {
    bit<8> op;
}

struct metadata_t {
    PortId_t port;
}

parser IngressParser(
    packet_in pkt,
    out headers_t hdr,
    out metadata_t md,
    out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        md = {0};
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
        md.port = ig_intr_md.ingress_port;
        ig_tm_md.ucast_egress_port = 2;
        if (hdr.work.op == 1) {
            ig_dprsr_md.digest_type = SEEN;
        } else if (hdr.work.op == 2) {
            ig_dprsr_md.digest_type = LOST;
            ig_dprsr_md.drop_ctl = 1;
        }
    }
}

control IngressDeparser(
    packet_out pkt,
    inout headers_t hdr,
    in metadata_t md,
    in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    Digest<seen_t>(SEEN) seen;
    Digest<lost_t>(LOST) lost;
    apply {
        if (ig_dprsr_md.digest_type == SEEN) {
            seen.pack({hdr.work.address, md.port});
        }
        if (ig_dprsr_md.digest_type == LOST) {
            lost.pack({hdr.work.op});
        }
        pkt.emit(hdr);
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
