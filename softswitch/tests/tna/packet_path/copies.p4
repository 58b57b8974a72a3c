// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Bridged headers, mirror copies, resubmission and digests: each by the type in its constructor.

#include <core.p4>
#include <tna.p4>

const MirrorType_t MIRROR_COPY = 1;
const ResubmitType_t RESUBMIT_AGAIN = 2;
const DigestType_t DIGEST_SEEN = 3;

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> ether_type;
}

enum bit<8> Kind {
    BRIDGED = 1,
    COPY = 2
}

// Not whole bytes: the back end pads it.
header bridge_t {
    Kind kind;
    @flexible PortId_t port;
    @flexible bit<3> level;
}

header copy_t {
    Kind kind;
    bit<8> reason;
}

header again_t {
    bit<32> value;
    @padding bit<32> _pad;
}

struct seen_t {
    bit<48> src;
    PortId_t port;
}

struct headers_t {
    bridge_t bridge;
    copy_t copy;
    ethernet_t ethernet;
}

struct metadata_t {
    MirrorId_t session;
    bit<8> reason;
    again_t again;
    PortId_t port;
}

parser IngressParser(packet_in pkt, out headers_t hdr, out metadata_t md, out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        transition select(ig_intr_md.resubmit_flag) {
            1: resubmitted;
            0: fresh;
        }
    }
    state resubmitted {
        pkt.extract(md.again);
        transition ethernet;
    }
    state fresh {
        pkt.advance(PORT_METADATA_SIZE);
        transition ethernet;
    }
    state ethernet {
        pkt.extract(hdr.ethernet);
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
        hdr.bridge = {kind = Kind.BRIDGED, port = ig_intr_md.ingress_port, level = 1};
        if (hdr.ethernet.ether_type == 0x88B5) {
            md.session = 5;
            md.reason = 7;
            ig_dprsr_md.mirror_type = MIRROR_COPY;
        } else if (ig_intr_md.resubmit_flag == 0) {
            ig_dprsr_md.resubmit_type = RESUBMIT_AGAIN;
        } else {
            ig_dprsr_md.digest_type = DIGEST_SEEN;
        }
        ig_tm_md.ucast_egress_port = 1;
    }
}

control IngressDeparser(
    packet_out pkt,
    inout headers_t hdr,
    in metadata_t md,
    in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    Mirror(MIRROR_COPY) mirror;
    Resubmit(RESUBMIT_AGAIN) resubmit;
    Digest<seen_t>(DIGEST_SEEN) seen;
    apply {
        if (ig_dprsr_md.mirror_type == MIRROR_COPY) {
            mirror.emit<copy_t>(md.session, {Kind.COPY, md.reason});
        }
        if (ig_dprsr_md.resubmit_type == RESUBMIT_AGAIN) {
            resubmit.emit(md.again);
        }
        if (ig_dprsr_md.digest_type == DIGEST_SEEN) {
            seen.pack({hdr.ethernet.src, md.port});
        }
        pkt.emit(hdr.bridge);
        pkt.emit(hdr.ethernet);
    }
}

parser EgressParser(packet_in pkt, out headers_t hdr, out metadata_t md, out egress_intrinsic_metadata_t eg_intr_md) {
    state start {
        pkt.extract(eg_intr_md);
        Kind kind = pkt.lookahead<Kind>();
        transition select(kind) {
            Kind.BRIDGED: bridged;
            Kind.COPY: copied;
            default: reject;
        }
    }
    state bridged {
        pkt.extract(hdr.bridge);
        transition ethernet;
    }
    state copied {
        pkt.extract(hdr.copy);
        transition ethernet;
    }
    state ethernet {
        pkt.extract(hdr.ethernet);
        transition accept;
    }
}

control Egress(
    inout headers_t hdr,
    inout metadata_t md,
    in egress_intrinsic_metadata_t eg_intr_md,
    in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
    inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
    inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) {
    apply {
        if (hdr.copy.isValid()) {
            hdr.ethernet.dst = 0x0180C2000000;
            hdr.copy.setInvalid();
        } else {
            hdr.bridge.setInvalid();
        }
    }
}

control EgressDeparser(
    packet_out pkt,
    inout headers_t hdr,
    in metadata_t md,
    in egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) {
    apply {
        pkt.emit(hdr);
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
