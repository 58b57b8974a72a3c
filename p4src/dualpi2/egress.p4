// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Egress: the probability is brought up to date, and the packet that leaves is marked, dropped, or neither.

#ifndef DUALPI2_EGRESS_P4
#define DUALPI2_EGRESS_P4

#include "decision.p4"
#include "probability.p4"
#include "../datacentre/queue_bytes.p4"

control Dualpi2Egress(
        inout headers_t hdr,
        inout metadata_t meta,
        inout standard_metadata_t standard_metadata) {
    LeaveQueue() leave_queue;
    ReadQueueBytes() read_queue_bytes;
    ReadDelay() read_delay;
    UpdateProbability() update_probability;
    Decision() decision;
    Mark() mark;

    delay_us_t delay_us;
    probability32_t probability;
    depth_bytes_t waiting;
    bit<1> dropped = 0;

    apply {
        if (meta.is_managed == 1) {
            port_t port = standard_metadata.egress_port;
            leave_queue.apply(port, meta.counted_bytes);
            read_delay.apply(port, meta.is_l4s, standard_metadata.deq_timedelta, standard_metadata.deq_qdepth, delay_us);
            update_probability.apply(port, meta.settings, delay_us, standard_metadata.egress_global_timestamp, probability);
            if (meta.settings.is_early == 0) {
                read_queue_bytes.apply(port, waiting);
                decision.apply(hdr, standard_metadata, port, meta.settings, meta.is_l4s, probability, waiting, dropped);
            }
            if (dropped == 0 && meta.is_l4s == 1 && standard_metadata.deq_timedelta > meta.settings.step_us
                    && standard_metadata.deq_qdepth >= meta.settings.step_pkts) {
                mark.apply(hdr, port, meta.is_l4s);
            }
        }
    }
}

#endif
