// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Parsers with counters, checksums, priorities, value sets, lookahead and port metadata; checksums in the deparser.

#include <core.p4>
#include <tna.p4>

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> ether_type;
}

header label_t {
    bit<20> value;
    bit<3> class;
    bit<1> bottom;
    bit<8> ttl;
}

header ipv4_t {
    bit<4> version;
    bit<4> ihl;
    bit<8> tos;
    bit<16> total_length;
    bit<16> id;
    bit<3> flags;
    bit<13> fragment;
    bit<8> ttl;
    bit<8> protocol;
    bit<16> checksum;
    bit<32> src;
    bit<32> dst;
}

header option_t {
    bit<32> data;
}

header udp_t {
    bit<16> src;
    bit<16> dst;
    bit<16> length;
    bit<16> checksum;
}

header port_metadata_t {
    bit<16> vrf;
    bit<48> unused;
}

struct headers_t {
    ethernet_t ethernet;
    label_t[3] labels;
    ipv4_t ipv4;
    option_t[10] options;
    udp_t udp;
}

struct metadata_t {
    port_metadata_t port;
    bool checksum_error;
    bit<16> rest;
}

parser Start<M>(packet_in pkt, out ingress_intrinsic_metadata_t ig_intr_md, inout M md) {
    state start {
        pkt.extract(ig_intr_md);
        transition accept;
    }
}

parser IngressParser(
    packet_in pkt,
    out headers_t hdr,
    out metadata_t md,
    out ingress_intrinsic_metadata_t ig_intr_md) {
    Start<metadata_t>() first;
    Checksum() header_checksum;
    Checksum() udp_checksum;
    ParserCounter() counter;
    ParserPriority() priority;
    value_set<bit<16>>(4) types;

    state start {
        first.apply(pkt, ig_intr_md, md);
        md.port = port_metadata_unpack<port_metadata_t>(pkt);
        priority.set(3);
        transition ethernet;
    }
    state ethernet {
        pkt.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type, ig_intr_md.ingress_port) {
            (0x8847, _): labels;
            (0x0800, 0..255): ipv4;
            (types, _): accept;
            (0x86DD &&& 0xFFFE, 0x1FF): reject;
            default: accept;
        }
    }
    state labels {
        pkt.extract(hdr.labels.next);
        transition select(hdr.labels.last.bottom) {
            0: labels;
            1: ipv4;
        }
    }
    state ipv4 {
        pkt.extract(hdr.ipv4);
        header_checksum.add(hdr.ipv4);
        udp_checksum.subtract({hdr.ipv4.src, hdr.ipv4.dst});
        transition select(hdr.ipv4.ihl) {
            5: after_options;
            default: options;
        }
    }
    state options {
        counter.set(hdr.ipv4.ihl, 10, 0, 3, 0xFB);
        transition next_option;
    }
    @dont_unroll
    state next_option {
        pkt.extract(hdr.options.next);
        counter.decrement(1);
        transition select(counter.is_zero()) {
            true: after_options;
            false: next_option;
        }
    }
    state after_options {
        md.checksum_error = header_checksum.verify();
        transition select(hdr.ipv4.protocol, pkt.lookahead<bit<16>>()) {
            (17, 53): udp;
            (17, _): udp;
            default: accept;
        }
    }
    state udp {
        pkt.extract(hdr.udp);
        udp_checksum.subtract({hdr.udp.checksum});
        udp_checksum.subtract_all_and_deposit(md.rest);
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
        if (ig_prsr_md.parser_err != PARSER_ERROR_OK || md.checksum_error) {
            ig_dprsr_md.drop_ctl = 1;
        }
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
        hdr.labels.pop_front(1);
    }
}

control IngressDeparser(
    packet_out pkt,
    inout headers_t hdr,
    in metadata_t md,
    in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    Checksum() header_checksum;
    Checksum() udp_checksum;
    apply {
        hdr.ipv4.checksum = header_checksum.update({
            hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.tos, hdr.ipv4.total_length, hdr.ipv4.id, hdr.ipv4.flags,
            hdr.ipv4.fragment, hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst});
        if (hdr.udp.isValid()) {
            hdr.udp.checksum = udp_checksum.update(
                data = {hdr.ipv4.src, hdr.ipv4.dst, md.rest}, zeros_as_ones = true);
        }
        pkt.emit(hdr);
    }
}

struct empty_t {}

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
