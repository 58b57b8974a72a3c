// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Ingress: route, queue, and the settings of the link.

#ifndef HPCC_INGRESS_P4
#define HPCC_INGRESS_P4

#include "metadata.p4"
#include "../datacentre/queue_bytes.p4"
#include "../datacentre/router.p4"

control HpccIngress(
        inout headers_t hdr,
        inout metadata_t meta,
        inout standard_metadata_t standard_metadata) {
    Router() router;
    EnterQueue() enter_queue;

    depth_bytes_t limit = 0;
    bit<1> acks_first = 1;
    bit<1> routed;
    bit<1> is_own;

    @id(0x01000061)
    action use_hpcc(
            @id(1) rate_code_t rate,
            @id(2) bit<8> unit_shift,
            @id(3) depth_bytes_t limit_bytes,
            @id(4) bit<1> are_acks_first) {
        meta.rate = rate;
        meta.unit_shift = unit_shift;
        limit = limit_bytes;
        acks_first = are_acks_first;
    }

    // A port without an entry forwards packets, and no more.
    @id(0x02000061)
    table hpcc {
        key = {
            standard_metadata.egress_spec: exact @id(1) @name("port");
        }
        actions = {
            use_hpcc;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        size = MAX_PORTS;
    }

    apply {
        router.apply(hdr, meta.parsed, standard_metadata, routed, is_own);
        if (routed == 1) {
            if (hpcc.apply().hit) {
                meta.is_counted = 1;
                if (acks_first == 0) {
                    // After the router, which put them before data.
                    standard_metadata.priority = DATA_QUEUE;
                }
                if (is_own == 1 && hdr.signal.data == 1 && !IS_FEEDBACK(hdr.signal)) {
                    meta.takes_record = 1;
                }
                enter_queue.apply(limit, meta.parsed.ip_bytes, meta.counted_bytes, standard_metadata);
            }
        }
    }
}

#endif
