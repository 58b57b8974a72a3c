// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Ingress: a tag counts if its port is trusted. Route, settings of the port that the packet leaves by, and queue.

#ifndef CSIG_INGRESS_P4
#define CSIG_INGRESS_P4

#include "metadata.p4"
#include "arrivals.p4"
#include "strip.p4"
#include "../datacentre/clock.p4"
#include "../datacentre/queue_bytes.p4"
#include "../datacentre/router.p4"

// By the port that a packet came by: a tag from outside of the domain was removed.
@name(".port_csig_distrusted")
counter(MAX_PORTS, CounterType.packets_and_bytes) port_csig_distrusted;

control CsigIngress(
        inout headers_t hdr,
        inout metadata_t meta,
        inout standard_metadata_t standard_metadata) {
    Router() router;
    Arrivals() arrivals;
    StripTag() strip_tag;
    EnterQueue() enter_queue;

    bit<1> routed;
    bit<1> is_own;
    bit<1> trusted;
    bit<16> removed_bytes;

    @id(0x01000063)
    action update_csig(
            @id(1) csig_locator_t locator,
            @id(2) byte_time_t byte_time,
            @id(3) csig_value_t bandwidth,
            @id(4) bit<8> window_shift,
            @id(5) bit<8> delay_shift,
            @id(6) bit<8> overhead_bytes,
            @id(7) depth_bytes_t limit_bytes) {
        meta.departure = departure_t.UPDATE;
        meta.settings.locator = locator;
        meta.settings.byte_time = byte_time;
        meta.settings.bandwidth = bandwidth;
        meta.settings.window_shift = window_shift;
        meta.settings.delay_shift = delay_shift;
        meta.settings.overhead_bytes = (bit<32>) overhead_bytes;
        meta.settings.limit_bytes = limit_bytes;
    }

    @id(0x01000064)
    action pass_csig() {
        meta.departure = departure_t.PASS;
    }

    // Behind a port without an entry nobody knows of tags: they are removed.
    @id(0x02000063)
    table csig_departures {
        key = {
            standard_metadata.egress_spec: exact @id(1) @name("port");
        }
        actions = {
            update_csig;
            pass_csig;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        size = MAX_PORTS;
    }

    apply {
        READ_CLOCK(meta.arrived_ns, standard_metadata.ingress_global_timestamp);
        router.apply(hdr, meta.parsed, standard_metadata, routed, is_own);
        if (routed == 1) {
            arrivals.apply(standard_metadata.ingress_port, trusted);
            if (trusted == 0) {
                strip_tag.apply(hdr.ethernet, hdr.vlan, hdr.inner_vlan, hdr.csig_compact, hdr.csig_wide, removed_bytes);
                meta.parsed.tag_bytes = meta.parsed.tag_bytes - (bit<32>) removed_bytes;
                if (removed_bytes != 0) {
                    port_csig_distrusted.count((bit<32>) standard_metadata.ingress_port);
                }
            }
            csig_departures.apply();
            meta.sent_bytes = meta.parsed.ip_bytes + meta.parsed.tag_bytes + meta.settings.overhead_bytes;
            enter_queue.apply(meta.settings.limit_bytes, meta.sent_bytes, meta.counted_bytes, standard_metadata);
        }
    }
}

#endif
