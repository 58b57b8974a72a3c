// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// IPv4 in IPv4: packets get a second header with a length and a checksum of its own, and lose it at the other end.

#include <core.p4>
#include <tna.p4>
#include "../include/bare_egress.p4"
#include "../include/headers.p4"

struct headers_t {
    ethernet_t ethernet;
    ipv4_t outer;
    ipv4_t ipv4;
}

parser IngressParser(
    packet_in pkt,
    out headers_t hdr,
    out empty_t md,
    out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        pkt.extract(hdr.ethernet);
        // The protocol stands 9 bytes further on.
        transition select(pkt.lookahead<bit<80>>()[7:0]) {
            Protocol.IPIP: outer;
            default: ipv4;
        }
    }
    state outer {
        pkt.extract(hdr.outer);
        transition ipv4;
    }
    state ipv4 {
        pkt.extract(hdr.ipv4);
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
    action enter(bit<32> near, bit<32> far) {
        hdr.outer.setValid();
        hdr.outer = {4, 5, hdr.ipv4.tos, hdr.ipv4.total_length, 1, 0, 0, 64, (bit<8>) Protocol.IPIP, 0, near, far};
        hdr.outer.total_length = hdr.outer.total_length + 20;
        ig_tm_md.ucast_egress_port = 2;
    }
    table tunnels {
        key = {
            hdr.ipv4.dst: ternary;
        }
        actions = {
            enter;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        size = 512;
    }
    apply {
        if (hdr.outer.isValid()) {
            hdr.outer.setInvalid();
            ig_tm_md.ucast_egress_port = 1;
        } else {
            tunnels.apply();
        }
    }
}

control IngressDeparser(
    packet_out pkt,
    inout headers_t hdr,
    in empty_t md,
    in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    Checksum() sum;
    apply {
        if (hdr.outer.isValid()) {
            hdr.outer.checksum = sum.update({
                hdr.outer.version, hdr.outer.ihl, hdr.outer.tos, hdr.outer.total_length, hdr.outer.id, hdr.outer.flags,
                hdr.outer.fragment, hdr.outer.ttl, hdr.outer.protocol, hdr.outer.src, hdr.outer.dst});
        }
        pkt.emit(hdr);
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
