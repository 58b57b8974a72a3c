// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// One of everything that the control plane can reach.

#include <core.p4>
#include <v1model.p4>

#ifndef REGISTER_SIZE
#define REGISTER_SIZE 8
#endif

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

struct headers {
    ethernet_t ethernet;
}

struct metadata {
    bit<1> chosen;
}

struct learned_t {
    bit<48> src;
    bit<9> port;
}

parser MyParser(packet_in packet, out headers hdr, inout metadata meta, inout standard_metadata_t std) {
    value_set<bit<16>>(4) special;

    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            special: mark;
            default: accept;
        }
    }
    state mark {
        meta.chosen = 1;
        transition accept;
    }
}

control MyVerifyChecksum(inout headers hdr, inout metadata meta) {
    apply {}
}

control MyIngress(inout headers hdr, inout metadata meta, inout standard_metadata_t std) {
    register<bit<20>>(REGISTER_SIZE) last_port;
    counter(4, CounterType.packets_and_bytes) seen;
    meter(4, MeterType.bytes) policer;
    direct_counter(CounterType.packets_and_bytes) route_hits;
    direct_meter<bit<2>>(MeterType.packets) route_meter;
    action_selector(HashAlgorithm.crc16, 16, 14) paths;
    bit<2> colour = 0;

    action drop() {
        mark_to_drop(std);
    }
    action send(bit<9> port) {
        std.egress_spec = port;
    }
    action route(bit<9> port) {
        route_hits.count();
        route_meter.read(colour);
        std.egress_spec = port;
    }
    action flood(bit<16> group) {
        std.mcast_grp = group;
    }
    action learn() {
        digest<learned_t>(1, { hdr.ethernet.src, std.ingress_port });
    }

    table routes {
        key = {
            std.ingress_port: exact;
            hdr.ethernet.dst: ternary;
            hdr.ethernet.type: range;
            meta.chosen: optional;
        }
        actions = { route; flood; drop; }
        default_action = drop;
        size = 8;
        counters = route_hits;
        meters = route_meter;
        support_timeout = true;
    }
    table prefixes {
        key = { hdr.ethernet.dst: lpm; }
        actions = { send; drop; NoAction; }
        default_action = NoAction;
    }
    table spread {
        key = {
            hdr.ethernet.type: exact;
            hdr.ethernet.src: selector;
        }
        actions = { send; drop; }
        implementation = paths;
    }
    table learning {
        key = { hdr.ethernet.src: exact; }
        actions = { learn; NoAction; }
        default_action = learn;
    }

    apply {
        last_port.write(0, (bit<20>) std.ingress_port);
        seen.count((bit<32>) std.ingress_port);
        policer.execute_meter((bit<32>) std.ingress_port, colour);
        learning.apply();
        routes.apply();
        prefixes.apply();
        spread.apply();
    }
}

control MyEgress(inout headers hdr, inout metadata meta, inout standard_metadata_t std) {
    apply {}
}

control MyComputeChecksum(inout headers hdr, inout metadata meta) {
    apply {}
}

control MyDeparser(packet_out packet, in headers hdr) {
    apply {
        packet.emit(hdr.ethernet);
    }
}

V1Switch(MyParser(), MyVerifyChecksum(), MyIngress(), MyEgress(), MyComputeChecksum(), MyDeparser()) main;
