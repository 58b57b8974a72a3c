// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A parser for each of several ports.

#include "../include/frame.p4"

parser OtherParser(packet_in pkt, out headers_t hdr, out metadata_t md, out ingress_intrinsic_metadata_t ig_intr_md) {
    value_set<bit<16>>(2) types;
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        pkt.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            types: accept;
            default: reject;
        }
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
        ig_tm_md.ucast_egress_port = ig_intr_md.ingress_port;
    }
}

IngressParsers(IngressParser(), OtherParser(), OtherParser()) ingress_parsers;
EgressParsers(EgressParser()) egress_parsers;
MultiParserPipeline(ingress_parsers, Ingress(), IngressDeparser(), egress_parsers, Egress(), EgressDeparser()) pipe;
MultiParserSwitch(pipe) main;
