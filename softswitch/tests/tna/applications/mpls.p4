// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// MPLS: labels that are pushed at the edge, swapped, and popped; the time to live goes along.

#include <core.p4>
#include <tna.p4>
#include "../include/bare_egress.p4"
#include "../include/headers.p4"

struct headers_t {
    ethernet_t ethernet;
    mpls_t[3] labels;
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
        transition select(hdr.ethernet.ether_type) {
            EtherType.MPLS: label;
            EtherType.IPV4: ipv4;
            default: reject;
        }
    }
    state label {
        pkt.extract(hdr.labels.next);
        transition select(hdr.labels.last.bottom) {
            0: label;
            1: ipv4;
        }
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
    action push(bit<20> label, PortId_t port) {
        hdr.labels[0].setValid();
        hdr.labels[0] = {label, 0, 1, hdr.ipv4.ttl};
        hdr.ethernet.ether_type = EtherType.MPLS;
        ig_tm_md.ucast_egress_port = port;
    }
    action swap(bit<20> label, PortId_t port) {
        hdr.labels[0].label = label;
        hdr.labels[0].ttl = hdr.labels[0].ttl - 1;
        ig_tm_md.ucast_egress_port = port;
    }
    action pop_last(PortId_t port) {
        hdr.ipv4.ttl = hdr.labels[0].ttl;
        hdr.labels.pop_front(1);
        hdr.ethernet.ether_type = EtherType.IPV4;
        ig_tm_md.ucast_egress_port = port;
    }
    action pop(PortId_t port) {
        hdr.labels.pop_front(1);
        ig_tm_md.ucast_egress_port = port;
    }
    table classes {
        key = {
            hdr.ipv4.dst: lpm;
        }
        actions = {
            push;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        size = 1024;
    }
    table labels {
        key = {
            hdr.labels[0].label: exact @name("label");
            hdr.labels[0].bottom: exact @name("bottom");
        }
        actions = {
            swap;
            pop;
            pop_last;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        size = 1024;
    }
    apply {
        if (hdr.labels[0].isValid()) {
            labels.apply();
        } else {
            classes.apply();
        }
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
