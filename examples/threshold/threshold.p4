// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The simplest marking: every ECT packet that found `depth` packets or more in the queue is marked, as RFC 8257 (DCTCP,
// section 3.1) asks of a switch. Packets that are not ECT are left to the buffer, which drops them when it is full.

#include <core.p4>
#include <v1model.p4>

struct metadata_t {}

#include "../include/router.p4"

control ThresholdIngress(
        inout headers_t hdr,
        inout metadata_t meta,
        inout standard_metadata_t standard_metadata) {
    Route() route;
    bit<1> routed;

    apply {
        route.apply(hdr, standard_metadata, routed);
    }
}

control ThresholdEgress(
        inout headers_t hdr,
        inout metadata_t meta,
        inout standard_metadata_t standard_metadata) {
    counter(PORTS, CounterType.packets_and_bytes) marked;
    bit<19> threshold_pkts = 0;

    action mark_from(bit<19> depth) {
        threshold_pkts = depth;
    }

    // A port without an entry marks nothing.
    table threshold {
        key = {
            standard_metadata.egress_port: exact @name("port");
        }
        actions = {
            mark_from;
            NoAction;
        }
        default_action = NoAction();
        size = PORTS;
    }

    apply {
        if (threshold.apply().hit) {
            // enq_qdepth is the queue as the packet found it. Ingress cannot see it, so the mark is written here.
            if (standard_metadata.enq_qdepth >= threshold_pkts && hdr.ipv4.ecn != NOT_ECT) {
                hdr.ipv4.ecn = CE;
                marked.count((bit<32>) standard_metadata.egress_port);
            }
        }
    }
}

V1Switch(
    RouterParser(),
    RouterVerifyChecksum(),
    ThresholdIngress(),
    ThresholdEgress(),
    RouterUpdateChecksum(),
    RouterDeparser()) main;
