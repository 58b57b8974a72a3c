// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Ingress: route, settings of the port, and queue.

#ifndef DUALPI2_INGRESS_P4
#define DUALPI2_INGRESS_P4

#include "decision.p4"
#include "probability.p4"
#include "../datacentre/queue_bytes.p4"
#include "../datacentre/router.p4"

control Dualpi2Ingress(
        inout headers_t hdr,
        inout metadata_t meta,
        inout standard_metadata_t standard_metadata) {
    Router() router;
    ReadQueueBytes() read_queue_bytes;
    Decision() decision;
    EnterQueue() enter_queue;

    bit<1> any_ect = 0;
    depth_bytes_t limit = 0;
    depth_bytes_t waiting;
    probability32_t probability;
    bit<1> routed;
    bit<1> is_own;
    bit<1> dropped = 0;

    @id(0x01000066)
    action use_dualpi2(
            @id(1) delay_us_t target_us,
            @id(2) bit<32> update_us,
            @id(3) gain_t alpha,
            @id(4) gain_t beta,
            @id(5) bit<8> coupling,
            @id(6) bit<32> step_us,
            @id(7) depth_t step_pkts,
            @id(8) bit<16> mtu_bytes,
            @id(9) depth_bytes_t limit_bytes,
            @id(10) bit<1> is_early,
            @id(11) bit<1> is_any_ect) {
        meta.is_managed = 1;
        meta.settings = { target_us, update_us, alpha, beta, coupling, step_us, step_pkts, mtu_bytes, is_early };
        limit = limit_bytes;
        any_ect = is_any_ect;
    }

    // A port without an entry forwards packets, and no more: ECT(1) is then no different from not-ECT.
    @id(0x02000066)
    table dualpi2 {
        key = {
            standard_metadata.egress_spec: exact @id(1) @name("port");
        }
        actions = {
            use_dualpi2;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        size = MAX_PORTS;
    }

    apply {
        router.apply(hdr, meta.parsed, standard_metadata, routed, is_own);
        if (routed == 1) {
            if (dualpi2.apply().hit) {
                port_t port = standard_metadata.egress_spec;
                ecn_t ecn = ECN_OF(hdr);
                // The last bit of the field is set in ECT(1) and CE.
                if (ecn[0:0] == 1 || (any_ect == 1 && ecn != ECN_NOT_ECT)) {
                    meta.is_l4s = 1;
                    standard_metadata.priority = L4S_QUEUE;
                }
                if (meta.settings.is_early == 1) {
                    base_probability.read(probability, (bit<32>) port);
                    read_queue_bytes.apply(port, waiting);
                    decision.apply(hdr, standard_metadata, port, meta.settings, meta.is_l4s, probability, waiting, dropped);
                }
                if (dropped == 0) {
                    enter_queue.apply(limit, meta.parsed.ip_bytes, meta.counted_bytes, standard_metadata);
                }
            }
        }
    }
}

#endif
