// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The ICMP source quench that the switch makes itself, out of a copy of the packet: RFC 792 type 4 with the bit of Akujobi
// et al. (Globecom 2002) that tells marks from drops, and the level of congestion. It is recirculated and routed to the
// source as any packet is. The controller makes the same bytes where a profile leaves it to the CPU.

#ifndef QUENCH_SOURCE_QUENCH_P4
#define QUENCH_SOURCE_QUENCH_P4

#include "packet.p4"
#include "metadata.p4"
#include "counters.p4"

// Per queue that the quenches are about (RFC 1812 section 4.3.2.8).
@id(0x14000001) @name(".isq_meter")
meter(MAX_QUEUES, MeterType.packets) isq_meter;

const bit<2> METER_RED = 2;

control SourceQuench(
        inout headers_t hdr,
        inout metadata_t meta,
        inout standard_metadata_t standard_metadata) {
    bit<2> colour = 0;

    @id(0x01000050)
    action use_address(@id(1) ipv4_address_t address) {
        hdr.isq_ipv4.setValid();
        hdr.isq_ipv4.source = address;
    }

    // Where quenches say they come from. Until the controller has set it there are none.
    @id(0x02000050)
    table router {
        actions = {
            @defaultonly use_address;
            @defaultonly NoAction;
        }
        default_action = NoAction();
    }

    action quote() {
        hdr.isq_ipv4.version = 4;
        hdr.isq_ipv4.ihl = 5;
        // RFC 1812 section 4.3.2.5: the precedence is that of the packet that provoked it.
        hdr.isq_ipv4.dscp = hdr.ipv4.dscp & 0b111000;
        hdr.isq_ipv4.ecn = ECN_NOT_ECT;
        hdr.isq_ipv4.total_length = IPV4_BYTES + ICMP_BYTES + ((bit<16>) hdr.ipv4.ihl << 2) + TRANSPORT_BYTES;
        hdr.isq_ipv4.identification = 0;
        hdr.isq_ipv4.flags = IPV4_DONT_FRAGMENT;
        hdr.isq_ipv4.fragment_offset = 0;
        hdr.isq_ipv4.ttl = ISQ_TTL;
        hdr.isq_ipv4.protocol = PROTOCOL_ICMP;
        hdr.isq_ipv4.destination = hdr.ipv4.source;
        hdr.isq_icmp.setValid();
        hdr.isq_icmp.type = ICMP_SOURCE_QUENCH;
        hdr.isq_icmp.code = 0;
        bit<1> marked = meta.copy_reason == REASON_MARKED ? 1w1 : 1w0;
        hdr.isq_icmp.rest = marked ++ meta.copy_isq_level[6:0] ++ 24w0;
    }

    apply {
        router.apply();
        isq_meter.execute_meter((bit<32>) (meta.copy_egress_port ++ meta.copy_queue), colour);
        if (!hdr.isq_ipv4.isValid()) {
            port_isq_refused.count((bit<32>) meta.copy_egress_port);
            mark_to_drop(standard_metadata);
        } else if (colour == METER_RED) {
            port_isq_limited.count((bit<32>) meta.copy_egress_port);
            mark_to_drop(standard_metadata);
        } else {
            port_isq_sent.count((bit<32>) meta.copy_egress_port);
            quote();
            recirculate_preserving_field_list(RECIRCULATED_FIELDS);
        }
    }
}

#endif
