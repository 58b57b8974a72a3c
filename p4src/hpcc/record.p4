// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The record of a router in HPCC's telemetry: the link's rate, the time, the bytes that have left by the link before this
// packet, and the bytes that wait behind it.

#ifndef HPCC_RECORD_P4
#define HPCC_RECORD_P4

#include "metadata.p4"

// All packets that left by a port.
@name(".sent_bytes")
register<bit<64>>(MAX_PORTS) sent_bytes;

control CountSentBytes(in port_t port, in bit<32> ip_bytes, out bit<64> before) {
    action count() {
        @atomic {
            sent_bytes.read(before, (bit<32>) port);
            sent_bytes.write((bit<32>) port, before + (bit<64>) ip_bytes);
        }
    }

    apply {
        count();
    }
}

control WriteRecord(
        inout telemetry_t telemetry,
        in rate_code_t rate,
        in bit<8> unit_shift,
        in time_ns_t now_ns,
        in bit<64> sent,
        in depth_bytes_t queue_bytes) {
    record_t record;

    action fill() {
        record.rate = rate;
        record.time_ns = (bit<24>) now_ns;
        record.sent = (bit<20>) (sent >> (SENT_UNIT_SHIFT + unit_shift));
        // A quotient by 80, exact for all 32 bits.
        bit<64> queue = (bit<64>) queue_bytes * QUEUE_UNIT_RECIPROCAL >> (QUEUE_UNIT_SHIFT + unit_shift);
        record.queue = (bit<17>) (queue > LONGEST_QUEUE ? LONGEST_QUEUE : queue);
    }

    apply {
        // Full or, of a hostile sender, more than full: nothing is written.
        if (telemetry.hops < MOST_RECORDS) {
            fill();
            if (telemetry.hops == 0) {
                telemetry.first = record;
            } else if (telemetry.hops == 1) {
                telemetry.second = record;
            } else if (telemetry.hops == 2) {
                telemetry.third = record;
            } else if (telemetry.hops == 3) {
                telemetry.fourth = record;
            } else {
                telemetry.fifth = record;
            }
            telemetry.hops = telemetry.hops + 1;
        }
    }
}

#endif
