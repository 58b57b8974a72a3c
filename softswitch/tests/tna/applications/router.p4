// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A router for IPv4: longest prefix, next hop, addresses, TTL, and what it cannot forward goes to the CPU.

#include "../include/frame.p4"

control Ingress(
    inout headers_t hdr,
    inout metadata_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Counter<bit<32>, bit<16>>(256, CounterType_t.PACKETS) forwarded;

    action set_next_hop(bit<16> next_hop) {
        md.index = next_hop;
        md.flag = true;
    }
    table routes {
        key = {
            hdr.ipv4.dst: lpm;
        }
        actions = {
            set_next_hop;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        size = 4096;
    }
    action send(mac_t source, mac_t destination, PortId_t port) {
        hdr.ethernet.src = source;
        hdr.ethernet.dst = destination;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
        ig_tm_md.ucast_egress_port = port;
        forwarded.count(md.index);
    }
    action to_cpu() {
        ig_tm_md.copy_to_cpu = 1;
    }
    table next_hops {
        key = {
            md.index: exact;
        }
        actions = {
            send;
            to_cpu;
        }
        const default_action = to_cpu();
        size = 256;
    }
    apply {
        if (hdr.ipv4.isValid() && hdr.ipv4.ttl > 1) {
            routes.apply();
            if (md.flag) {
                next_hops.apply();
            }
        } else {
            to_cpu();
        }
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
