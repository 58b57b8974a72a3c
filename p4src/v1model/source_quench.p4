// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The source quench that the switch makes itself, out of a copy of the packet: ICMP's (RFC 792 type 4) with the bit of Akujobi
// et al. (Globecom 2002) that distinguishes marks from drops, the level of congestion and advice; or one for RoCEv2. It is
// recirculated and routed to the source as any packet is. If a profile leaves source quenches to the CPU, the controller
// makes the same bytes.

#ifndef QUENCH_SOURCE_QUENCH_P4
#define QUENCH_SOURCE_QUENCH_P4

#include "packet.p4"
#include "metadata.p4"
#include "counters.p4"
#include "../common/isq_headers.p4"
#include "../common/cnp_headers.p4"
#include "icrc.p4"

// A limit for each queue that source quenches are about (RFC 1812 section 4.3.2.8).
@id(0x14000001) @name(".isq_meter")
meter(MAX_QUEUES, MeterType.packets) isq_meter;

const bit<2> METER_RED = 2;

control SourceQuench(
        inout headers_t hdr,
        in copy_t copy,
        out time_us_t recirculated_us,
        inout standard_metadata_t standard_metadata) {
    IsqHeaders() isq_headers;
    IsqIpv6Headers() isq_ipv6_headers;
    CnpHeaders() cnp_headers;
    Icrc() icrc;

    bit<2> colour;
    bit<1> has_address = 0;
    ipv4_address_t source = 0;
    ipv6_address_t ipv6_source = 0;

    @id(0x01000050)
    action use_address(@id(1) ipv4_address_t address, @id(2) ipv6_address_t ipv6_address) {
        has_address = 1;
        source = address;
        ipv6_source = ipv6_address;
    }

    // The source addresses of source quenches. None is sent until the controller has set them.
    @id(0x02000050)
    table router {
        actions = {
            @defaultonly use_address;
            @defaultonly NoAction;
        }
        default_action = NoAction();
    }

    action quote() {
        hdr.isq_ipv4.source = source;
        // RFC 1812 section 4.3.2.5: the precedence is that of the packet that provoked it.
        hdr.isq_ipv4.dscp = hdr.ipv4.dscp & DSCP_PRECEDENCE;
        hdr.isq_ipv4.total_length = IPV4_BYTES + ICMP_BYTES + IPV4_HEADER_BYTES(hdr.ipv4) + TRANSPORT_BYTES;
        ISQ_LEVEL_OF(hdr.isq_icmp.rest) = copy.isq_level;
        ISQ_ADVICE_OF(hdr.isq_icmp.rest) = copy.isq_advice;
        ISQ_MARKED_OF(hdr.isq_icmp.rest) = copy.reason == reason_t.MARKED ? 1w1 : 1w0;
    }

    action quote_ipv6() {
        ISQ_LEVEL_OF(hdr.isq_icmpv6.rest) = copy.isq_level;
        ISQ_ADVICE_OF(hdr.isq_icmpv6.rest) = copy.isq_advice;
        ISQ_MARKED_OF(hdr.isq_icmpv6.rest) = copy.reason == reason_t.MARKED ? 1w1 : 1w0;
    }

    apply {
        recirculated_us = standard_metadata.egress_global_timestamp;
        router.apply();
        isq_meter.execute_meter((bit<32>) (copy.egress_port ++ copy.queue), colour);
        if (has_address == 0) {
            port_isq_refused.count((bit<32>) copy.egress_port);
            mark_to_drop(standard_metadata);
        } else if (colour == METER_RED) {
            port_isq_limited.count((bit<32>) copy.egress_port);
            mark_to_drop(standard_metadata);
        } else {
            port_isq_sent.count((bit<32>) copy.egress_port);
            if (copy.isq_format == isq_format_t.ICMP && hdr.ipv6.isValid()) {
                isq_ipv6_headers.apply(hdr.isq_ipv6, hdr.isq_icmpv6, hdr.ipv6, ipv6_source);
                quote_ipv6();
            } else if (copy.isq_format == isq_format_t.ICMP) {
                isq_headers.apply(hdr.isq_ipv4, hdr.isq_icmp, hdr.ipv4);
                quote();
            } else {
                cnp_headers.apply(copy.isq_format, copy.isq_advice, source, ipv6_source, hdr.ipv4, hdr.ipv6,
                    hdr.fast_cnp, hdr.transport, hdr.bth, hdr.cnp);
                hdr.ipv4_options.setInvalid();
                icrc.apply(hdr);
            }
            recirculate_preserving_field_list(RECIRCULATED_FIELDS);
        }
    }
}

#endif
