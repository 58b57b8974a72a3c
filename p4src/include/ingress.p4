// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef QUENCH_INGRESS_P4
#define QUENCH_INGRESS_P4

#include "packet.p4"
#include "metadata.p4"
#include "counters.p4"
#include "quotable.p4"
#include "routing.p4"
#include "classification.p4"
#include "profile.p4"
#include "average.p4"
#include "decision.p4"
#include "telling.p4"
#include "marking.p4"
#include "cpu_copy.p4"

control QuenchIngress(
        inout headers_t hdr,
        inout metadata_t meta,
        inout standard_metadata_t standard_metadata) {
    Quotable() quotable;
    Routing() routing;
    Classification() classification;
    Profile() profile;
    IdleDecay() arrival_decay;
    Decision(true) arrival_decision;
    Telling() telling;
    Marking() marking;
    DescribeCopy() describe_copy;

    average_t current = 0;
    average_t decisive = 0;
    depth_t last_depth = 0;
    time_us_t idle_us = 0;
    fraction_t decay = PROBABILITY_ONE;
    bit<1> tells_source = 0;

    // The queue is idle since the end of the last transmission, if that left it empty. Egress cannot decay the average
    // of a queue all of whose packets are dropped here: without this no packet would ever leave again.
    action read_queue() {
        time_us_t last;
        queue_average.read(current, (bit<32>) meta.queue_index);
        queue_depth.read(last_depth, (bit<32>) meta.queue_index);
        last_departure.read(last, (bit<32>) meta.queue_index);
        time_us_t ended = last + (time_us_t) meta.profile.mean_transmission_us;
        idle_us = last_depth == 0 ? standard_metadata.ingress_global_timestamp |-| ended : 0;
    }

    // As in ns-2: in an empty queue nothing is chosen on arrival, however large the average still is.
    action spare() {
        decisive = 0;
    }

    action shrink() {
        current = (average_t) (((bit<64>) current * (bit<64>) decay + FRACTION_HALF) >> FRACTION_BITS);
    }

    apply {
        if (meta.copy_as_isq == 1) {
            // A source quench that we made drags the rest of the packet that it quotes behind it.
            truncate((bit<32>) (ETHERNET_BYTES + hdr.ipv4.total_length));
        }
        if (hdr.packet_out.isValid() && hdr.packet_out.submit_to_ingress == 0) {
            standard_metadata.egress_spec = hdr.packet_out.egress_port;
        } else if (meta.is_ip == 0 || standard_metadata.checksum_error == 1) {
            mark_to_drop(standard_metadata);
        } else {
            quotable.apply(hdr, meta);
            routing.apply(hdr, meta, standard_metadata);
            classification.apply(meta, standard_metadata);
        }

        if (meta.routed == 1) {
            port_seen.count((bit<32>) standard_metadata.egress_spec);
            profile.apply(meta, standard_metadata.egress_spec, standard_metadata.priority);
        }

        if (meta.profile.active == 1) {
            read_queue();
            if (idle_us != 0) {
                arrival_decay.apply(meta, idle_us, decay);
                shrink();
            }
            decisive = current;
            if (meta.profile.spare_empty == 1 && last_depth == 0) {
                spare();
            }
            arrival_decision.apply(meta, decisive);
            bit<32> port = (bit<32>) standard_metadata.egress_spec;
            bool marks = meta.verdict.mark1 == 1 || meta.verdict.mark2 == 1;
            bool drops = meta.verdict.drop_early == 1 || meta.verdict.drop_forced == 1;

            // The copy is of the packet as it came, and a packet-out would be parsed again as if it had come from a wire.
            if (!hdr.packet_out.isValid()) {
                telling.apply(hdr, meta, standard_metadata.egress_spec, tells_source);
            }
            if (tells_source == 1) {
                describe_copy.apply(meta, current, last_depth, standard_metadata.ingress_global_timestamp,
                    standard_metadata.ingress_port, standard_metadata.egress_spec);
                clone_preserving_field_list(CloneType.I2E, CPU_CLONE_SESSION, CPU_COPY_FIELDS);
            }
            if (marks) {
                port_marked.count(port);
                marking.apply(hdr, meta);
            } else if (drops) {
                if (meta.verdict.drop_forced == 1) {
                    port_dropped_forced.count(port);
                } else {
                    port_dropped_early.count(port);
                }
                mark_to_drop(standard_metadata);
            }
        }
        hdr.packet_out.setInvalid();
    }
}

#endif
