// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Ingress: route, queue, tokens, and the decision on arrival.

#ifndef BOLT_INGRESS_P4
#define BOLT_INGRESS_P4

#include "metadata.p4"
#include "decision.p4"
#include "../common/isq_eligibility.p4"
#include "../datacentre/clock.p4"
#include "../datacentre/queue_bytes.p4"
#include "../datacentre/router.p4"

// Source notifications that this switch has made, by the port that they are about.
@name(".port_src_sent")
counter(MAX_PORTS, CounterType.packets_and_bytes) port_src_sent;

control BoltIngress(
        inout headers_t hdr,
        inout metadata_t meta,
        inout standard_metadata_t standard_metadata) {
    Router() router;
    Settings() port_settings;
    RefillSupply() refill_supply;
    ReadQueueBytes() read_queue_bytes;
    Decision() decision;
    IsqEligibility() isq_eligibility;
    EnterQueue() enter_queue;

    settings_t settings = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
    mac_address_t arrived_for;
    time_ns_t now_ns;
    bit<1> routed;
    bit<1> is_own;
    bit<1> is_data;
    bit<1> notify;
    bit<1> eligible;

    apply {
        if (meta.is_notification == 1) {
            // It still carries the payload of the packet that it is made of.
            truncate((bit<32>) (ETHERNET_BYTES + hdr.ipv4.total_length));
        }
        arrived_for = hdr.ethernet.destination;
        router.apply(hdr, meta.parsed, standard_metadata, routed, is_own);
        if (routed == 1) {
            port_settings.apply(standard_metadata.egress_spec, settings);
        }
        if (settings.active == 1) {
            port_t port = standard_metadata.egress_spec;
            is_data = 0;
            if (is_own == 1 && hdr.signal.data == 1 && !IS_FEEDBACK(hdr.signal)) {
                is_data = 1;
            }
            if (settings.sm == 1 && (settings.data_only == 0 || is_data == 1)) {
                if (meta.is_notification == 1) {
                    now_ns = meta.notified_ns;
                } else {
                    READ_CLOCK(now_ns, standard_metadata.ingress_global_timestamp);
                }
                refill_supply.apply(port, settings, now_ns, meta.parsed.ip_bytes);
            }
            if (is_data == 1) {
                read_queue_bytes.apply(port, meta.queue_bytes);
                decision.apply(hdr.signal, port, settings, meta.queue_bytes, notify);
                if (notify == 1) {
                    // The rules for source quenches: nothing is sent to what is no single host. Routing has rewritten the
                    // MAC addresses, and the one of a broadcast counts.
                    ethernet_t arrived = hdr.ethernet;
                    arrived.destination = arrived_for;
                    eligible = 0;
                    isq_eligibility.apply(arrived, hdr.ipv4, hdr.transport, eligible);
                    notify = eligible;
                }
                if (notify == 1) {
                    port_src_sent.count((bit<32>) port);
                    meta.rate = settings.rate;
                    if (settings.src_at_departure == 1) {
                        meta.notify_at_departure = 1;
                    } else {
                        clone_preserving_field_list(CloneType.I2E, NOTIFY_CLONE_SESSION, NOTIFY_FIELDS);
                    }
                }
            }
            enter_queue.apply(settings.limit_bytes, meta.parsed.ip_bytes, meta.counted_bytes, standard_metadata);
        }
    }
}

#endif
