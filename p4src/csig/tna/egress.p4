// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Egress: the tag of a packet that leaves, by the settings of its port. Apart from v1model because filters of the hardware
// measure the load, and all quantities are measured beside each other.

#ifndef CSIG_TNA_EGRESS_P4
#define CSIG_TNA_EGRESS_P4

#include "packet.p4"
#include "load.p4"
#include "delay.p4"
#include "measure.p4"
#include "update.p4"
#include "../strip.p4"

control CsigEgress(
        inout egress_headers_t hdr,
        inout egress_metadata_t meta,
        in egress_intrinsic_metadata_t intrinsic,
        in egress_intrinsic_metadata_from_parser_t from_parser,
        inout egress_intrinsic_metadata_for_deparser_t for_deparser,
        inout egress_intrinsic_metadata_for_output_port_t for_output_port) {
    // By the port that a packet leaves by: tags with a number that this switch wrote, tags of a type that it does not know, and
    // tags that it removed.
    Counter<bit<64>, port_t>(MAX_PORTS, CounterType_t.PACKETS_AND_BYTES) port_csig_replaced;
    Counter<bit<64>, port_t>(MAX_PORTS, CounterType_t.PACKETS_AND_BYTES) port_csig_unknown;
    Counter<bit<64>, port_t>(MAX_PORTS, CounterType_t.PACKETS_AND_BYTES) port_csig_stripped;

    Load() load;
    HopDelay() hop_delay;
    QueueDelay() queue_delay;
    Measure() measure;
    Update() update;
    StripTag() strip_tag;

    csig_number_t used_bandwidth;
    csig_number_t used_part;
    csig_number_t since_arrival;
    csig_number_t for_queue;
    bit<1> has_queue_delay;
    bit<4> type;
    csig_number_t number;
    bit<1> smaller_is_worse;
    bit<1> is_known;
    bit<16> packet_bytes;
    csig_number_t excess;
    bit<16> removed_bytes;

    @id(0x01000066)
    action update_csig(
            @id(1) csig_locator_t locator,
            @id(2) csig_number_t bandwidth,
            @id(3) link_t link,
            @id(4) bit<8> delay_shift,
            @id(5) bit<16> overhead_bytes) {
        meta.departure = departure_t.UPDATE;
        meta.locator = locator;
        meta.compact_locator = (compact_locator_t) locator;
        meta.bandwidth = bandwidth;
        meta.link = link;
        meta.delay_shift = delay_shift;
        meta.overhead_bytes = overhead_bytes;
    }

    @id(0x01000064)
    action pass_csig() {
        meta.departure = departure_t.PASS;
    }

    action strip() {
        meta.departure = departure_t.STRIP;
    }

    // Behind a port without an entry nobody knows of tags: they are removed.
    @id(0x02000063)
    table csig_departures {
        key = {
            intrinsic.egress_port: exact @id(1) @name("port");
        }
        actions = {
            update_csig;
            pass_csig;
            @defaultonly strip;
        }
        const default_action = strip();
        size = MAX_PORTS;
    }

    action subtract() {
        packet_bytes = intrinsic.pkt_length - hdr.bridge.other_bytes;
    }

    apply {
        excess = 0;
        subtract();
        csig_departures.apply();
        if (meta.departure == departure_t.STRIP) {
            strip_tag.apply(hdr.ethernet, hdr.vlan, hdr.inner_vlan, hdr.csig_compact, hdr.csig_wide, removed_bytes);
            if (removed_bytes != 0) {
                port_csig_stripped.count(intrinsic.egress_port);
            }
        } else if (meta.departure == departure_t.UPDATE) {
            // Beside the load, for all packets: that saves stages.
            hop_delay.apply(hdr.bridge.arrived_ns, from_parser.global_tstamp, meta.delay_shift, since_arrival);
            queue_delay.apply(meta.link, intrinsic.deq_qdepth, for_queue, has_queue_delay);
            // Packets without a tag use the link as well.
            load.apply(intrinsic.egress_port, packet_bytes, meta.overhead_bytes, used_bandwidth, used_part);
            if (hdr.csig_compact.isValid() || hdr.csig_wide.isValid()) {
                measure.apply(hdr.csig_compact, hdr.csig_wide, meta.bandwidth, used_bandwidth, used_part, since_arrival,
                    for_queue, has_queue_delay, type, number, smaller_is_worse, is_known);
                update.apply(hdr.csig_compact, hdr.csig_wide, type, number, smaller_is_worse, meta.locator,
                    meta.compact_locator, is_known, excess);
                if (is_known == 0) {
                    port_csig_unknown.count(intrinsic.egress_port);
                } else if (excess != 0) {
                    port_csig_replaced.count(intrinsic.egress_port);
                }
            }
        }
    }
}

#endif
