// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// CoDel (RFC 8289): when the delay of every departing packet has been above a target for an interval, departing packets
// are selected one by one, at pauses that become shorter until the delay is below the target again.
//
// CoDel decides at departure, which is egress here. A mark costs nothing there. A drop does: in v1model the packet has
// its slot on the link already, and the slot stays empty. So CoDel on a P4 switch is for ECN; a packet that is not ECT is
// dropped all the same. For the same reason the RFC's loop, which drops several packets before one leaves, is one
// decision for each packet here.

#include <core.p4>
#include <v1model.p4>

struct metadata_t {}

#include "../include/router.p4"
#include "interval.p4"

control CodelIngress(
        inout headers_t hdr,
        inout metadata_t meta,
        inout standard_metadata_t standard_metadata) {
    Route() route;
    bit<1> routed;

    apply {
        route.apply(hdr, standard_metadata, routed);
    }
}

control CodelEgress(
        inout headers_t hdr,
        inout metadata_t meta,
        inout standard_metadata_t standard_metadata) {
    counter(PORTS, CounterType.packets_and_bytes) marked;
    counter(PORTS, CounterType.packets_and_bytes) dropped;
    // The variables of RFC 8289, section 5.3, for each port. 0 in first_above_at: the delay is below the target.
    register<bit<48>>(PORTS) first_above_at;
    register<bit<48>>(PORTS) next_at;
    register<bit<16>>(PORTS) counts;
    register<bit<16>>(PORTS) last_counts;
    register<bit<1>>(PORTS) selecting_now;
    NextInterval() next_interval;

    bit<32> target_us = 0;
    bit<32> interval_us = 0;
    bit<48> first_above_us;
    bit<48> next_us;
    bit<48> pause_us;
    bit<16> count;
    bit<16> last_count;
    bit<1> selecting;
    bit<1> long_enough = 0;
    bit<1> selected = 0;

    action use_codel(bit<32> target, bit<32> interval) {
        target_us = target;
        interval_us = interval;
    }

    // A port without an entry selects nothing.
    table codel {
        key = {
            standard_metadata.egress_port: exact @name("port");
        }
        actions = {
            use_codel;
            NoAction;
        }
        default_action = NoAction();
        size = PORTS;
    }

    action read_state(bit<32> port) {
        first_above_at.read(first_above_us, port);
        next_at.read(next_us, port);
        counts.read(count, port);
        last_counts.read(last_count, port);
        selecting_now.read(selecting, port);
    }

    action write_state(bit<32> port) {
        first_above_at.write(port, first_above_us);
        next_at.write(port, next_us);
        counts.write(port, count);
        last_counts.write(port, last_count);
        selecting_now.write(port, selecting);
    }

    apply {
        if (codel.apply().hit) {
            bit<32> port = (bit<32>) standard_metadata.egress_port;
            bit<48> now_us = standard_metadata.egress_global_timestamp;
            read_state(port);

            // The RFC's dodequeue(): has the delay been above the target for an interval? A queue of at most MAXPACKET
            // bytes is not standing: what the packet leaves behind, in packets here, of which one never has more.
            if (standard_metadata.deq_timedelta < target_us || standard_metadata.deq_qdepth <= 1) {
                first_above_us = 0;
            } else if (first_above_us == 0) {
                first_above_us = now_us + (bit<48>) interval_us;
            } else if (now_us >= first_above_us) {
                long_enough = 1;
            }

            if (selecting == 1 && long_enough == 0) {
                selecting = 0;
            } else if (selecting == 1 && now_us >= next_us) {
                selected = 1;
                count = count |+| 1;
            } else if (selecting == 0 && long_enough == 1) {
                // The last time is not long ago: go on nearly where that ended.
                bit<16> delta = count |-| last_count;
                bool recent = now_us < next_us + ((bit<48>) interval_us << 4);
                count = recent && delta > 1 ? delta : 1;
                last_count = count;
                selecting = 1;
                selected = 1;
                next_us = now_us;
            }
            if (selected == 1) {
                next_interval.apply(count, interval_us, pause_us);
                next_us = next_us + pause_us;
            }
            write_state(port);

            if (selected == 1 && hdr.ipv4.ecn != NOT_ECT) {
                hdr.ipv4.ecn = CE;
                marked.count(port);
            } else if (selected == 1) {
                dropped.count(port);
                mark_to_drop(standard_metadata);
            }
        }
    }
}

V1Switch(
    RouterParser(),
    RouterVerifyChecksum(),
    CodelIngress(),
    CodelEgress(),
    RouterUpdateChecksum(),
    RouterDeparser()) main;
