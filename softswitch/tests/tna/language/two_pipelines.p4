// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Two named pipelines of different types, by name of the parameters; blocks with fewer and with all parameters.

#include "../include/frame.p4"

struct other_t {
    ethernet_t ethernet;
}

parser OtherParser(
    packet_in pkt,
    out other_t hdr,
    out empty_t md,
    out ingress_intrinsic_metadata_t ig_intr_md,
    out ingress_intrinsic_metadata_for_tm_t ig_tm_md,
    out ingress_intrinsic_metadata_from_parser_t ig_prsr_md) {
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        transition select(ig_intr_md.ingress_port) {
            68: generated;
            default: ethernet;
        }
    }
    state generated {
        pkt.advance(64);
        transition ethernet;
    }
    state ethernet {
        pkt.extract(hdr.ethernet);
        transition accept;
    }
}

control OtherIngress(
    inout other_t hdr,
    inout empty_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    apply {
        ig_tm_md.mcast_grp_a = 1;
        ig_tm_md.rid = 0xFFFF;
    }
}

control OtherDeparser(
    packet_out pkt,
    inout other_t hdr,
    in empty_t md,
    in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    in ingress_intrinsic_metadata_t ig_intr_md) {
    apply {
        pkt.emit(hdr);
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
        ig_tm_md.bypass_egress = 1;
        ig_tm_md.ucast_egress_port = 4;
    }
}

Pipeline(
    ingress_parser = IngressParser(),
    ingress = Ingress(),
    ingress_deparser = IngressDeparser(),
    egress_parser = EgressParser(),
    egress = Egress(),
    egress_deparser = EgressDeparser()) first;
Pipeline<other_t, empty_t, empty_t, empty_t>(
    OtherParser(), OtherIngress(), OtherDeparser(), EgressParser(), Egress(), EgressDeparser()) second;
Switch(pipe0 = first, pipe1 = second) main;
