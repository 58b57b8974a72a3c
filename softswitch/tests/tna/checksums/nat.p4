// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Translation of addresses and ports: the rest of UDP's checksum is carried over from parser to deparser.

#include <core.p4>
#include <tna.p4>
#include "../include/bare_egress.p4"
#include "../include/headers.p4"

struct headers_t {
    ethernet_t ethernet;
    ipv4_t ipv4;
    udp_t udp;
}

struct metadata_t {
    bit<16> rest;
    bool has_checksum;
}

parser IngressParser(
    packet_in pkt,
    out headers_t hdr,
    out metadata_t md,
    out ingress_intrinsic_metadata_t ig_intr_md) {
    Checksum() sum;

    state start {
        md = {0, false};
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        pkt.extract(hdr.ethernet);
        pkt.extract(hdr.ipv4);
        sum.subtract({hdr.ipv4.src, hdr.ipv4.dst});
        transition select(hdr.ipv4.protocol) {
            Protocol.UDP: udp;
            default: accept;
        }
    }
    state udp {
        pkt.extract(hdr.udp);
        sum.subtract({hdr.udp.checksum});
        sum.subtract({hdr.udp.src, hdr.udp.dst});
        sum.subtract_all_and_deposit(md.rest);
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
    action drop() {
        ig_dprsr_md.drop_ctl = 1;
    }
    action translate_source(bit<32> address, bit<16> udp_port, PortId_t port) {
        hdr.ipv4.src = address;
        hdr.udp.src = udp_port;
        ig_tm_md.ucast_egress_port = port;
    }
    action translate_destination(bit<32> address, bit<16> udp_port, PortId_t port) {
        hdr.ipv4.dst = address;
        hdr.udp.dst = udp_port;
        ig_tm_md.ucast_egress_port = port;
    }
    table outward {
        key = {
            hdr.ipv4.src: exact;
            hdr.udp.src: exact;
        }
        actions = {
            translate_source;
            drop;
        }
        const default_action = drop();
        size = 1024;
    }
    table inward {
        key = {
            hdr.ipv4.dst: exact;
            hdr.udp.dst: exact;
        }
        actions = {
            translate_destination;
            drop;
        }
        const default_action = drop();
        size = 1024;
    }
    apply {
        if (!hdr.udp.isValid()) {
            drop();
        } else if (ig_intr_md.ingress_port == 1) {
            outward.apply();
        } else {
            inward.apply();
        }
        // 0 is no checksum, and stays so.
        md.has_checksum = hdr.udp.checksum != 0;
    }
}

control IngressDeparser(
    packet_out pkt,
    inout headers_t hdr,
    in metadata_t md,
    in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    Checksum() ip_sum;
    Checksum() udp_sum;
    apply {
        hdr.ipv4.checksum = ip_sum.update({
            hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.tos, hdr.ipv4.total_length, hdr.ipv4.id, hdr.ipv4.flags,
            hdr.ipv4.fragment, hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst});
        if (md.has_checksum) {
            hdr.udp.checksum = udp_sum.update(
                data = {hdr.ipv4.src, hdr.ipv4.dst, hdr.udp.src, hdr.udp.dst, md.rest}, zeros_as_ones = true);
        }
        pkt.emit(hdr);
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
