// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Two states, which exclude each other, end one checksum unit; a header that both extract afterwards is subtracted too.

#include <core.p4>
#include <tna.p4>
#include "../include/bare_egress.p4"

header kind_t {
    bit<16> kind;
    bit<16> one;
    bit<16> two;
}

header data_t {
    bit<16> x;
    bit<16> y;
}

header tail_t {
    bit<16> t;
}

struct headers_t {
    kind_t kind;
    data_t data;
    tail_t tail;
}

struct metadata_t {
    bit<16> one;
    bit<16> two;
}

parser IngressParser(
    packet_in pkt,
    out headers_t hdr,
    out metadata_t md,
    out ingress_intrinsic_metadata_t ig_intr_md) {
    Checksum() sum;

    state start {
        md = {0, 0};
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        pkt.extract(hdr.kind);
        transition select(hdr.kind.kind) {
            1: one;
            2: two;
            default: accept;
        }
    }
    state one {
        pkt.extract(hdr.data);
        sum.subtract({hdr.data.x});
        sum.subtract_all_and_deposit(md.one);
        transition tail;
    }
    state two {
        pkt.extract(hdr.data);
        sum.subtract({hdr.data.y});
        sum.subtract_all_and_deposit(md.two);
        transition tail;
    }
    state tail {
        pkt.extract(hdr.tail);
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
        hdr.kind.one = md.one;
        hdr.kind.two = md.two;
        ig_tm_md.ucast_egress_port = 2;
        ig_tm_md.bypass_egress = 1;
    }
}

control IngressDeparser(
    packet_out pkt,
    inout headers_t hdr,
    in metadata_t md,
    in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    apply {
        pkt.emit(hdr);
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;

Switch(pipe) main;
