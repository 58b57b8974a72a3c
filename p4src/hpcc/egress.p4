// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Egress: the bytes that leave by the port, and the record of a data packet.

#ifndef HPCC_EGRESS_P4
#define HPCC_EGRESS_P4

#include "metadata.p4"
#include "record.p4"
#include "../datacentre/clock.p4"
#include "../datacentre/queue_bytes.p4"

control HpccEgress(
        inout headers_t hdr,
        inout metadata_t meta,
        inout standard_metadata_t standard_metadata) {
    LeaveQueue() leave_queue;
    CountSentBytes() count_sent_bytes;
    ReadQueueBytes() read_queue_bytes;
    WriteRecord() write_record;

    bit<64> sent;
    time_ns_t now_ns;
    depth_bytes_t queue_bytes;

    apply {
        if (meta.is_counted == 1) {
            leave_queue.apply(standard_metadata.egress_port, meta.counted_bytes);
            count_sent_bytes.apply(standard_metadata.egress_port, meta.parsed.ip_bytes, sent);
            if (meta.takes_record == 1) {
                READ_CLOCK(now_ns, standard_metadata.egress_global_timestamp);
                read_queue_bytes.apply(standard_metadata.egress_port, queue_bytes);
                write_record.apply(hdr.telemetry, meta.rate, meta.unit_shift, now_ns, sent, queue_bytes);
            }
        }
    }
}

#endif
