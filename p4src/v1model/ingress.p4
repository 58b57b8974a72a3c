// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Ingress: route, queue, profile, and the decision on arrival, which drops packets and with mark_at tail marks them.

#ifndef QUENCH_INGRESS_P4
#define QUENCH_INGRESS_P4

#include "packet.p4"
#include "metadata.p4"
#include "counters.p4"
#include "../common/isq_eligibility.p4"
#include "../common/routing.p4"
#include "../common/classification.p4"
#include "profile.p4"
#include "average.p4"
#include "decision.p4"
#include "isq_trigger.p4"
#include "../common/marking.p4"
#include "cpu_copy.p4"

// RFC 1812 section 5.2.2: an IPv4 packet holds its header, and the frame holds the packet. IPv6 likewise; a payload length of
// 0 in front of a hop-by-hop header is a jumbogram's (RFC 2675), for which a frame is too short.
control CheckLength(in headers_t hdr, in bit<32> frame_bytes, inout bit<1> is_ip) {
    apply {
        bit<32> needed = (bit<32>) ETHERNET_BYTES;
        bool is_whole;
        if (hdr.packet_out.isValid()) {
            needed = needed + PACKET_OUT_BYTES;
        }
        if (hdr.ipv4.isValid()) {
            needed = needed + (bit<32>) hdr.ipv4.total_length;
            is_whole = hdr.ipv4.total_length >= ((bit<16>) hdr.ipv4.ihl) << 2;
        } else {
            needed = needed + (bit<32>) hdr.ipv6.payload_length + (bit<32>) IPV6_BYTES;
            is_whole = hdr.ipv6.payload_length != 0 || hdr.ipv6.next_header != PROTOCOL_HOP_BY_HOP;
        }
        if (!is_whole || needed > frame_bytes) {
            is_ip = 0;
        }
    }
}

// Packets that are dropped because they are not IP or not right.
control CountRefused(in ethernet_t ethernet, in port_t ingress_port) {
    apply {
        if (ethernet.isValid()) {
            if (ethernet.ether_type == ETHERTYPE_IPV4 || ethernet.ether_type == ETHERTYPE_IPV6) {
                port_dropped_invalid.count((bit<32>) ingress_port);
            } else if (ethernet.ether_type == ETHERTYPE_VLAN || ethernet.ether_type == ETHERTYPE_SERVICE_VLAN) {
                port_dropped_vlan.count((bit<32>) ingress_port);
            }
        }
    }
}

control QuenchIngress(
        inout headers_t hdr,
        inout metadata_t meta,
        inout standard_metadata_t standard_metadata) {
    CheckLength() check_length;
    CountRefused() count_refused;
    IsqEligibility() isq_eligibility;
    Routing() routing;
    Classification() classification;
    Profile() profile;
    IdleDecay() arrival_decay;
    Decision(true) arrival_decision;
    IsqTrigger() isq_trigger;
    Marking() marking;
    DescribeCopy() describe_copy;

    average_t current = 0;
    average_t decision_average = 0;
    depth_t last_depth = 0;
    idle_q8_us_t idle_q8_us = 0;
    fraction_t decay = FRACTION_ONE;
    bit<1> send_isq = 0;

    // A queue that the last departure left empty is idle since the end of that transmission. Ingress decays the average too:
    // if it drops all packets of a queue, egress decays nothing, and the queue would drop packets for ever. For the same
    // reason a depth does not count for ever: packets without a profile leave a queue without a trace in its registers.
    action read_queue() {
        time_us_t last;
        queue_average.read(current, (bit<32>) meta.queue_index);
        queue_depth.read(last_depth, (bit<32>) meta.queue_index);
        last_departure.read(last, (bit<32>) meta.queue_index);
        product_t mean_q8_us = (product_t) meta.profile.mean_transmission_q8_us;
        product_t busy_q8_us = last_depth == 0 ? mean_q8_us : (mean_q8_us * ((product_t) last_depth + 1)) << STALLED_SHIFT;
        product_t since_last = (product_t) (standard_metadata.ingress_global_timestamp |-| last) << TIME_FRACTION_BITS;
        idle_q8_us = (idle_q8_us_t) (since_last |-| busy_q8_us);
    }

    // As in ns-2: nothing is selected on arrival at an empty queue, however large the average still is.
    @name("spare")      // in P4Info, where the id follows from the name
    action skip_empty_queue() {
        decision_average = 0;
    }

    action shrink() {
        current = (average_t) (((product_t) current * (product_t) decay + FRACTION_HALF) >> FRACTION_BITS);
    }

    apply {
        if (meta.copy_as_isq == 1) {
            // A source quench from egress still carries the whole packet that it quotes.
            truncate((bit<32>) (ETHERNET_BYTES + hdr.ipv4.total_length));
        }
        if (meta.is_ip == 1) {
            check_length.apply(hdr, standard_metadata.packet_length, meta.is_ip);
        }
        if (hdr.packet_out.isValid() && hdr.packet_out.submit_to_ingress == 0) {
            standard_metadata.egress_spec = hdr.packet_out.egress_port;
        } else if (meta.is_ip == 0 || standard_metadata.checksum_error == 1) {
            count_refused.apply(hdr.ethernet, standard_metadata.ingress_port);
            mark_to_drop(standard_metadata);
        } else {
            isq_eligibility.apply(hdr.ethernet, hdr.ipv4, hdr.transport, meta.isq_eligible);
            routing.apply(hdr.ethernet, hdr.ipv4, hdr.ipv6, standard_metadata.egress_spec, meta.routed);
            classification.apply(meta.dscp, standard_metadata.priority);
            if (meta.routed == 0) {
                mark_to_drop(standard_metadata);
            }
        }

        if (meta.routed == 1) {
            port_seen.count((bit<32>) standard_metadata.egress_spec);
            profile.apply(meta, standard_metadata.egress_spec, standard_metadata.priority);
        }

        if (meta.profile.active == 1) {
            read_queue();
            if (idle_q8_us != 0) {
                arrival_decay.apply(meta.profile, idle_q8_us, decay);
                shrink();
            }
            decision_average = current;
            if (meta.profile.skip_empty_queue == 1 && last_depth == 0) {
                skip_empty_queue();
            }
            arrival_decision.apply(meta, decision_average);
            bit<32> port = (bit<32>) standard_metadata.egress_spec;

            // The copy is of the packet as it came. A copy of a packet-out would be parsed as a packet without packet_out.
            if (!hdr.packet_out.isValid()) {
                isq_trigger.apply(hdr, meta, standard_metadata.egress_spec, send_isq);
            }
            if (send_isq == 1) {
                describe_copy.apply(meta, current, last_depth, standard_metadata.ingress_global_timestamp,
                    standard_metadata.ingress_port, standard_metadata.egress_spec);
                clone_preserving_field_list(CloneType.I2E, CPU_CLONE_SESSION, CPU_COPY_FIELDS);
            }
            if (meta.verdict == VERDICT_MARK1 || meta.verdict == VERDICT_MARK2) {
                port_marked.count(port);
                marking.apply(hdr.ipv4, hdr.ipv6, meta.new_ecn);
                meta.ecn = meta.new_ecn;
            } else if (meta.verdict == VERDICT_DROP_FORCED) {
                port_dropped_forced.count(port);
                mark_to_drop(standard_metadata);
            } else if (meta.verdict == VERDICT_DROP_EARLY) {
                port_dropped_early.count(port);
                mark_to_drop(standard_metadata);
            }
        }
        hdr.packet_out.setInvalid();
    }
}

#endif
