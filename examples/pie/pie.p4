// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// PIE (RFC 8033): a proportional integral controller of the queue's delay. An arriving packet is dropped, or marked, with
// a probability that is computed anew every `update_us` from the delay and its change.
//
// The P4 differs from the RFC where a switch has to:
//   - The delay is known in egress only, the drop belongs in ingress: a drop in egress would use up a slot of the link.
//     So egress leaves the delay of the last departure in a register, and ingress reads it (RFC 8033, section 4.3: delay
//     by timestamps).
//   - There is no timer. The first arrival after `update_us` computes the probability, and one after a long silence
//     begins anew.
// Two of the optional parts are here, ECN (section 5.1) and the cap of a step (5.5); derandomization (5.4) is not.

#include <core.p4>
#include <v1model.p4>

struct metadata_t {}

#include "../include/router.p4"
#include "update.p4"

// The queue of each port at its last departure.
register<bit<32>>(PORTS) queue_delay_us;
register<bit<32>>(PORTS) queue_depth_pkts;

control PieIngress(
        inout headers_t hdr,
        inout metadata_t meta,
        inout standard_metadata_t standard_metadata) {
    counter(PORTS, CounterType.packets_and_bytes) marked;
    counter(PORTS, CounterType.packets_and_bytes) dropped;
    register<probability_t>(PORTS) probability;
    register<bit<32>>(PORTS) old_delay_us;
    register<bit<32>>(PORTS) burst_left_us;
    register<bit<48>>(PORTS) updated_at_us;
    Route() route;
    Update() update;

    bit<1> routed;
    parameters_t parameters = { 0, 0, 0, 0, 0, 0 };
    state_t state;
    bit<32> depth_pkts;
    bit<48> updated_us;
    probability_t draw = 0;

    action use_pie(
            bit<32> target_us,
            bit<32> update_us,
            bit<32> burst_us,
            bit<32> alpha,
            bit<32> beta,
            probability_t mark_below) {
        parameters = { target_us, update_us, burst_us, alpha, beta, mark_below };
    }

    // A port without an entry drops nothing.
    table pie {
        key = {
            standard_metadata.egress_spec: exact @name("port");
        }
        actions = {
            use_pie;
            NoAction;
        }
        default_action = NoAction();
        size = PORTS;
    }

    action read_state(bit<32> port) {
        queue_delay_us.read(state.delay_us, port);
        queue_depth_pkts.read(depth_pkts, port);
        probability.read(state.probability, port);
        old_delay_us.read(state.old_delay_us, port);
        burst_left_us.read(state.burst_left_us, port);
        updated_at_us.read(updated_us, port);
    }

    action write_state(bit<32> port) {
        probability.write(port, state.probability);
        old_delay_us.write(port, state.old_delay_us);
        burst_left_us.write(port, state.burst_left_us);
        updated_at_us.write(port, standard_metadata.ingress_global_timestamp);
    }

    apply {
        route.apply(hdr, standard_metadata, routed);
        if (routed == 1) {
            if (pie.apply().hit) {
                bit<32> port = (bit<32>) standard_metadata.egress_spec;
                read_state(port);
                if (depth_pkts == 0) {
                    // The last departure left nothing behind: its delay is over.
                    state.delay_us = 0;
                }
                bit<48> silence_us = standard_metadata.ingress_global_timestamp - updated_us;
                if (silence_us >= (bit<48>) parameters.update_us) {
                    if (depth_pkts == 0 && silence_us >> 6 >= (bit<48>) parameters.update_us) {
                        state.probability = 0;
                        state.old_delay_us = 0;
                        state.burst_left_us = parameters.burst_us;
                    } else {
                        update.apply(parameters, state);
                    }
                    write_state(port);
                }

                // RFC 8033, section 4.1: no packet is selected while a burst is allowed, while the delay is small, or
                // from a queue of two packets.
                bool small = state.old_delay_us < parameters.target_us >> 1 && state.probability < SMALL_PROBABILITY;
                if (state.burst_left_us == 0 && !small && depth_pkts >= 2) {
                    random(draw, 0, LARGEST_PROBABILITY);
                    if (draw < state.probability) {
                        if (hdr.ipv4.ecn != NOT_ECT && state.probability < parameters.mark_below) {
                            hdr.ipv4.ecn = CE;
                            marked.count(port);
                        } else {
                            dropped.count(port);
                            mark_to_drop(standard_metadata);
                        }
                    }
                }
            }
        }
    }
}

control PieEgress(
        inout headers_t hdr,
        inout metadata_t meta,
        inout standard_metadata_t standard_metadata) {
    apply {
        bit<32> port = (bit<32>) standard_metadata.egress_port;
        queue_delay_us.write(port, standard_metadata.deq_timedelta);
        queue_depth_pkts.write(port, (bit<32>) standard_metadata.deq_qdepth);
    }
}

V1Switch(
    RouterParser(),
    RouterVerifyChecksum(),
    PieIngress(),
    PieEgress(),
    RouterUpdateChecksum(),
    RouterDeparser()) main;
