// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// VLANs: ports have a tag that frames get and lose, and stay within.

#include <core.p4>
#include <tna.p4>
#include "../include/bare_egress.p4"
#include "../include/headers.p4"

struct headers_t {
    ethernet_t ethernet;
    vlan_t vlan;
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
            EtherType.VLAN: vlan;
            default: accept;
        }
    }
    state vlan {
        pkt.extract(hdr.vlan);
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
    action tag(bit<12> id) {
        hdr.vlan.setValid();
        hdr.vlan.priority = 0;
        hdr.vlan.may_drop = 0;
        hdr.vlan.id = id;
        hdr.vlan.ether_type = hdr.ethernet.ether_type;
        hdr.ethernet.ether_type = EtherType.VLAN;
    }
    action keep() {}
    table untagged {
        key = {
            ig_intr_md.ingress_port: exact @name("port");
        }
        actions = {
            tag;
            keep;
        }
        const default_action = keep();
        size = 512;
    }
    action send(PortId_t port) {
        ig_tm_md.ucast_egress_port = port;
    }
    action send_untagged(PortId_t port) {
        ig_tm_md.ucast_egress_port = port;
        hdr.ethernet.ether_type = hdr.vlan.ether_type;
        hdr.vlan.setInvalid();
    }
    table forward {
        key = {
            hdr.vlan.isValid(): exact @name("tagged");
            hdr.vlan.id: exact;
            hdr.ethernet.dst: exact;
        }
        actions = {
            send;
            send_untagged;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        size = 1024;
    }
    apply {
        if (!hdr.vlan.isValid()) {
            untagged.apply();
        }
        forward.apply();
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
