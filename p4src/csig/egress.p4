// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Egress: the tag of a packet that leaves, by the settings of its port.

#ifndef CSIG_EGRESS_P4
#define CSIG_EGRESS_P4

#include "metadata.p4"
#include "strip.p4"
#include "load.p4"
#include "measure.p4"
#include "update.p4"
#include "../datacentre/clock.p4"
#include "../datacentre/queue_bytes.p4"

// By the port that a packet leaves by: tags with a number that this switch wrote, tags of a type that it does not know, and tags
// that it removed.
@name(".port_csig_replaced")
counter(MAX_PORTS, CounterType.packets_and_bytes) port_csig_replaced;
@name(".port_csig_unknown")
counter(MAX_PORTS, CounterType.packets_and_bytes) port_csig_unknown;
@name(".port_csig_stripped")
counter(MAX_PORTS, CounterType.packets_and_bytes) port_csig_stripped;

control CsigEgress(
        inout headers_t hdr,
        inout metadata_t meta,
        inout standard_metadata_t standard_metadata) {
    LeaveQueue() leave_queue;
    ReadQueueBytes() read_queue_bytes;
    Load() load;
    Measure() measure;
    UpdateCompact() update_compact;
    UpdateWide() update_wide;
    StripTag() strip_tag;

    bit<4> type = 0;
    csig_value_t value;
    depth_bytes_t queue_bytes;
    time_ns_t now_ns;
    bit<64> average;
    bit<1> smaller_is_worse;
    bit<1> is_known;
    bit<1> replaced;
    bit<16> removed_bytes;

    apply {
        bit<32> port = (bit<32>) standard_metadata.egress_port;
        leave_queue.apply(standard_metadata.egress_port, meta.counted_bytes);
        if (meta.departure == departure_t.STRIP) {
            strip_tag.apply(hdr.ethernet, hdr.vlan, hdr.inner_vlan, hdr.csig_compact, hdr.csig_wide, removed_bytes);
            if (removed_bytes != 0) {
                port_csig_stripped.count(port);
            }
        } else if (meta.departure == departure_t.UPDATE) {
            // Packets without a tag use the link as well.
            READ_CLOCK(now_ns, standard_metadata.egress_global_timestamp);
            load.apply(standard_metadata.egress_port, meta.sent_bytes, now_ns, meta.settings.window_shift, average);
            if (hdr.csig_compact.isValid() || hdr.csig_wide.isValid()) {
                type = hdr.csig_wide.isValid() ? hdr.csig_wide.type : (bit<4>) hdr.csig_compact.type;
                read_queue_bytes.apply(standard_metadata.egress_port, queue_bytes);
                measure.apply(type, meta.settings, average, now_ns |-| meta.arrived_ns, queue_bytes, value,
                    smaller_is_worse, is_known);
                replaced = 0;
                if (is_known == 1 && hdr.csig_wide.isValid()) {
                    update_wide.apply(hdr.csig_wide, value, smaller_is_worse, meta.settings.locator, replaced);
                } else if (is_known == 1) {
                    update_compact.apply(hdr.csig_compact, value, smaller_is_worse, meta.settings.locator, replaced,
                        is_known);
                }
                if (is_known == 0) {
                    port_csig_unknown.count(port);
                } else if (replaced == 1) {
                    port_csig_replaced.count(port);
                }
            }
        }
    }
}

#endif
