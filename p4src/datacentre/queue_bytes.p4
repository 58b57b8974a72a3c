// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The bytes that wait for a port, in all of its queues, and the limit above which ingress drops.
//
// The embedded switch tells how many there are. Elsewhere ingress adds the bytes of each packet that it lets pass, and egress
// subtracts them. A packet that the target drops between the two would count for ever, so the limit has to lie below the
// target's buffer.

#ifndef QUENCH_QUEUE_BYTES_P4
#define QUENCH_QUEUE_BYTES_P4

#include "types.p4"

// Packets that are dropped above the limit.
@name(".port_dropped_forced")
counter(MAX_PORTS, CounterType.packets_and_bytes) port_dropped_forced;

#ifndef __V1MODEL_EXTENDED__
@name(".waiting_bytes")
register<depth_bytes_t>(MAX_PORTS) waiting_bytes;
#endif

// Without the packet that asks: in ingress it is not there yet, and egress has said that it left.
control ReadQueueBytes(in port_t port, out depth_bytes_t bytes) {
    apply {
#ifdef __V1MODEL_EXTENDED__
        bit<32> pkts;
        depth_bytes_t data_bytes;
        depth_bytes_t feedback_bytes;
        queue_depth(port, DATA_QUEUE, pkts, data_bytes);
        queue_depth(port, FEEDBACK_QUEUE, pkts, feedback_bytes);
        bytes = data_bytes |+| feedback_bytes;
#else
        waiting_bytes.read(bytes, (bit<32>) port);
#endif
    }
}

// Ingress, as its last step. Without the extension a packet without `counted_bytes` is unknown to egress.
control EnterQueue(
        in depth_bytes_t limit_bytes,
        in bit<32> ip_bytes,
        inout bit<32> counted_bytes,
        inout standard_metadata_t standard_metadata) {
#ifdef __V1MODEL_EXTENDED__
    ReadQueueBytes() read_queue_bytes;
#endif
    depth_bytes_t waiting;
    bit<1> is_full = 0;

#ifndef __V1MODEL_EXTENDED__
    action add_bytes() {
        @atomic {
            waiting_bytes.read(waiting, (bit<32>) standard_metadata.egress_spec);
            is_full = limit_bytes != 0 && waiting |+| ip_bytes > limit_bytes ? 1w1 : 1w0;
            counted_bytes = is_full == 1 ? 0 : ip_bytes;
            waiting_bytes.write((bit<32>) standard_metadata.egress_spec, waiting |+| counted_bytes);
        }
    }
#endif

    apply {
#ifdef __V1MODEL_EXTENDED__
        if (limit_bytes != 0) {
            read_queue_bytes.apply(standard_metadata.egress_spec, waiting);
            is_full = waiting |+| ip_bytes > limit_bytes ? 1w1 : 1w0;
        }
#else
        add_bytes();
#endif
        if (is_full == 1) {
            port_dropped_forced.count((bit<32>) standard_metadata.egress_spec);
            mark_to_drop(standard_metadata);
        }
    }
}

// Egress, as its first step.
control LeaveQueue(in port_t port, in bit<32> counted_bytes) {
#ifndef __V1MODEL_EXTENDED__
    action subtract_bytes() {
        @atomic {
            depth_bytes_t waiting;
            waiting_bytes.read(waiting, (bit<32>) port);
            waiting_bytes.write((bit<32>) port, waiting |-| counted_bytes);
        }
    }
#endif

    apply {
#ifndef __V1MODEL_EXTENDED__
        if (counted_bytes != 0) {
            subtract_bytes();
        }
#endif
    }
}

#endif
