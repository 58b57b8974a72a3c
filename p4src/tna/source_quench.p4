// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The source quench that the switch makes itself, as in ../v1model/source_quench.p4. Apart from v1model because a table has the
// length: Tofino does not shift and add in one action.

#ifndef QUENCH_TNA_SOURCE_QUENCH_P4
#define QUENCH_TNA_SOURCE_QUENCH_P4

#include "packet.p4"
#include "metadata.p4"
#include "../common/isq_headers.p4"
#include "../common/cnp_headers.p4"
#include "icrc.p4"

// IPv4, ICMP, the quoted header of so many words, and 8 bytes behind it.
#define ISQ_BYTES(ihl) (IPV4_BYTES + ICMP_BYTES + 4 * ihl + TRANSPORT_BYTES)

control SourceQuench(
        inout egress_headers_t hdr,
        inout egress_intrinsic_metadata_for_deparser_t for_deparser) {
    Counter<bit<64>, port_t>(MAX_PORTS, CounterType_t.PACKETS_AND_BYTES) port_isq_sent;
    Counter<bit<64>, port_t>(MAX_PORTS, CounterType_t.PACKETS_AND_BYTES) port_isq_limited;
    Counter<bit<64>, port_t>(MAX_PORTS, CounterType_t.PACKETS_AND_BYTES) port_isq_refused;
    // A limit for each queue that source quenches are about (RFC 1812 section 4.3.2.8).
    Meter<queue_index_t>(MAX_QUEUES, MeterType_t.PACKETS) isq_meter;
    IsqHeaders() isq_headers;
    IsqIpv6Headers() isq_ipv6_headers;
    CnpHeaders() cnp_headers;
    Icrc() icrc;

    bit<8> colour;
    bit<1> has_address;
    ipv4_address_t source = 0;
    ipv6_address_t ipv6_source = 0;

    @id(0x01000050)
    action use_address(@id(1) ipv4_address_t address, @id(2) ipv6_address_t ipv6_address) {
        source = address;
        ipv6_source = ipv6_address;
        has_address = 1;
    }

    action use_none() {
        has_address = 0;
    }

    // The source addresses of source quenches. None is sent until the controller has set them.
    @id(0x02000050)
    table router {
        actions = {
            @defaultonly use_address;
            @defaultonly use_none;
        }
        default_action = use_none();
        size = 1;
    }

    action read_meter() {
        colour = isq_meter.execute(QUEUE_INDEX_OF(hdr.copy.ports_and_queue));
    }

    action recirculate() {
        hdr.recirculated.setValid();
        hdr.recirculated.kind = kind_t.ISQ;
    }

    action set_source() {
        hdr.isq_ipv4.source = source;
    }

    action set_length(bit<16> length) {
        hdr.isq_ipv4.total_length = length;
    }

    table length {
        key = {
            hdr.ipv4.ihl: exact;
        }
        actions = {
            set_length;
        }
        const entries = {
            6: set_length(ISQ_BYTES(6));
            7: set_length(ISQ_BYTES(7));
            8: set_length(ISQ_BYTES(8));
            9: set_length(ISQ_BYTES(9));
            10: set_length(ISQ_BYTES(10));
            11: set_length(ISQ_BYTES(11));
            12: set_length(ISQ_BYTES(12));
            13: set_length(ISQ_BYTES(13));
            14: set_length(ISQ_BYTES(14));
            15: set_length(ISQ_BYTES(15));
        }
        const default_action = set_length(ISQ_BYTES(5));
        size = 10;
    }

    action set_dscp(dscp_t dscp) {
        hdr.isq_ipv4.dscp = dscp;
    }

    // RFC 1812 section 4.3.2.5: the precedence is that of the packet that provoked it. A copied part of a field would divide
    // that field wherever the program has it.
    table precedence {
        key = {
            hdr.ipv4.dscp: ternary;
        }
        actions = {
            set_dscp;
        }
        const entries = {
            0b001000 &&& DSCP_PRECEDENCE: set_dscp(0b001000);
            0b010000 &&& DSCP_PRECEDENCE: set_dscp(0b010000);
            0b011000 &&& DSCP_PRECEDENCE: set_dscp(0b011000);
            0b100000 &&& DSCP_PRECEDENCE: set_dscp(0b100000);
            0b101000 &&& DSCP_PRECEDENCE: set_dscp(0b101000);
            0b110000 &&& DSCP_PRECEDENCE: set_dscp(0b110000);
            0b111000 &&& DSCP_PRECEDENCE: set_dscp(0b111000);
        }
        const default_action = set_dscp(0);
        size = 7;
    }

    action set_level() {
        ISQ_LEVEL_OF(hdr.isq_icmp.rest) = hdr.copy.isq_level;
        ISQ_ADVICE_OF(hdr.isq_icmp.rest) = hdr.copy.isq_advice;
    }

    action set_marked() {
        ISQ_MARKED_OF(hdr.isq_icmp.rest) = 1;
    }

    action set_ipv6_level() {
        ISQ_LEVEL_OF(hdr.isq_icmpv6.rest) = hdr.copy.isq_level;
        ISQ_ADVICE_OF(hdr.isq_icmpv6.rest) = hdr.copy.isq_advice;
    }

    action set_ipv6_marked() {
        ISQ_MARKED_OF(hdr.isq_icmpv6.rest) = 1;
    }

    action drop() {
        for_deparser.drop_ctl = 1;
    }

    apply {
        router.apply();
        read_meter();
        if (has_address == 0) {
            port_isq_refused.count(EGRESS_PORT_OF(hdr.copy.ports_and_queue));
            drop();
        } else if (colour == METER_COLOR_RED) {
            port_isq_limited.count(EGRESS_PORT_OF(hdr.copy.ports_and_queue));
            drop();
        } else {
            port_isq_sent.count(EGRESS_PORT_OF(hdr.copy.ports_and_queue));
            recirculate();
            if (hdr.copy.isq_format == isq_format_t.ICMP && hdr.ipv6.isValid()) {
                isq_ipv6_headers.apply(hdr.isq_ipv6, hdr.isq_icmpv6, hdr.ipv6, ipv6_source);
                set_ipv6_level();
                if (hdr.copy.reason == reason_t.MARKED) {
                    set_ipv6_marked();
                }
            } else if (hdr.copy.isq_format == isq_format_t.ICMP) {
                isq_headers.apply(hdr.isq_ipv4, hdr.isq_icmp, hdr.ipv4);
                set_source();
                length.apply();
                precedence.apply();
                set_level();
                if (hdr.copy.reason == reason_t.MARKED) {
                    set_marked();
                }
            } else {
                cnp_headers.apply(hdr.copy.isq_format, hdr.copy.isq_advice, source, ipv6_source, hdr.ipv4, hdr.ipv6,
                    hdr.fast_cnp, hdr.transport, hdr.bth, hdr.cnp);
                icrc.apply(hdr);
            }
        }
    }
}

#endif
