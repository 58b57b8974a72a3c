// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Answers an ARP request by itself: the packet goes back where it came from.

#include <core.p4>
#include <tna.p4>
#include "../include/bare_egress.p4"
#include "../include/headers.p4"

header arp_t {
    bit<64> kind;
    mac_t sender_mac;
    bit<32> sender;
    mac_t target_mac;
    bit<32> target;
}

const bit<64> REPLY = 0x0001080006040002;

struct headers_t {
    ethernet_t ethernet;
    arp_t arp;
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
        transition select(hdr.ethernet.ether_type) {
            EtherType.ARP: arp;
            default: reject;
        }
    }
    state arp {
        pkt.extract(hdr.arp);
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
    action answer(mac_t mac) {
        bit<32> wanted = hdr.arp.target;
        hdr.arp.kind = REPLY;
        hdr.arp.target_mac = hdr.arp.sender_mac;
        hdr.arp.target = hdr.arp.sender;
        hdr.arp.sender_mac = mac;
        hdr.arp.sender = wanted;
        hdr.ethernet.dst = hdr.ethernet.src;
        hdr.ethernet.src = mac;
        ig_tm_md.ucast_egress_port = ig_intr_md.ingress_port;
    }
    table addresses {
        key = {
            hdr.arp.kind: exact;
            hdr.arp.target: exact;
        }
        actions = {
            answer;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        size = 64;
    }
    apply {
        addresses.apply();
    }
}

control IngressDeparser(
    packet_out pkt,
    inout headers_t hdr,
    in empty_t md,
    in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    apply {
        pkt.emit(hdr);
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
