// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Copies of packets: their fields, packet-ins, and the timer of queue reports.

#ifndef QUENCH_CPU_COPY_P4
#define QUENCH_CPU_COPY_P4

#include "packet.p4"
#include "metadata.p4"

// Sets the fields of a copy of this packet. The caller makes the clone, whose type is that of the pipeline.
control DescribeCopy(
        inout metadata_t meta,
        in average_t average,
        in depth_t depth_pkts,
        in time_us_t now,
        in port_t ingress_port,
        in port_t egress_port) {
    apply {
        meta.copy_level = 0;
        if (meta.verdict == VERDICT_MARK1) {
            meta.copy_reason = REASON_MARKED;
            meta.copy_level = 1;
        } else if (meta.verdict == VERDICT_MARK2) {
            meta.copy_reason = REASON_MARKED;
            meta.copy_level = 2;
        } else if (meta.verdict == VERDICT_DROP_EARLY) {
            meta.copy_reason = REASON_DROPPED_EARLY;
        } else if (meta.verdict == VERDICT_DROP_FORCED) {
            meta.copy_reason = REASON_DROPPED_FORCED;
        } else {
            meta.copy_reason = REASON_QUEUE_REPORT;
        }
        meta.copy_as_isq = meta.copy_reason == REASON_QUEUE_REPORT ? 1w0 : meta.profile.isq_in_dataplane;
        meta.copy_ingress_port = ingress_port;
        meta.copy_egress_port = egress_port;
        meta.copy_queue = meta.queue_index[2:0];
        meta.copy_depth = (bit<24>) depth_pkts;
        bit<48> average_q16 = average >> AVERAGE_TO_Q16_SHIFT;
        meta.copy_average = average_q16 > 0xffffffff ? 0xffffffff : (bit<32>) average_q16;
        meta.copy_time = now;
        meta.copy_isq_level = meta.segment.isq_level;
    }
}

// Turns the clone into a packet-in.
control WritePacketIn(inout headers_t hdr, in metadata_t meta) {
    apply {
        hdr.packet_in.setValid();
        hdr.packet_in.reason = meta.copy_reason;
        hdr.packet_in.level = meta.copy_level;
        hdr.packet_in.ingress_port = meta.copy_ingress_port;
        hdr.packet_in.egress_port = meta.copy_egress_port;
        hdr.packet_in.queue = meta.copy_queue;
        hdr.packet_in.pad0 = 0;
        hdr.packet_in.depth_pkts = meta.copy_depth;
        hdr.packet_in.average_q16_pkts = meta.copy_average;
        hdr.packet_in.time_us = meta.copy_time;
        hdr.packet_in.isq_level = meta.copy_isq_level;
        truncate(CPU_COPY_BYTES);
    }
}

// Whether the next periodic report of a queue is due.
control ReportTimer(in metadata_t meta, in time_us_t now, out bit<1> due) {
    register<time_us_t>(MAX_QUEUES) last_report;

    action check() {
        time_us_t last;
        last_report.read(last, (bit<32>) meta.queue_index);
        due = now - last >= (time_us_t) meta.profile.report_interval_us ? 1w1 : 1w0;
        last_report.write((bit<32>) meta.queue_index, due == 1 ? now : last);
    }

    apply {
        due = 0;
        if (meta.profile.report_interval_us != 0) {
            check();
        }
    }
}

#endif
