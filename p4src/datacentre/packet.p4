// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The headers of one packet, in the order in which they leave.
//
// Bolt and HPCC have a header of their own directly behind an IPv4 header without options. It begins with ports and a
// sequence number, which are transport_t here, so that flows share next hops as those of TCP do.

#ifndef QUENCH_DATACENTRE_PACKET_P4
#define QUENCH_DATACENTRE_PACKET_P4

#include "../common/headers.p4"
#include "types.p4"

// Exactly one bit is set: from the right 10, 25, 40, 100 and 400 Gb/s.
typedef bit<5> bolt_rate_t;

// The fields behind ports and sequence number in the headers of Bolt and HPCC.
header signal_t {
    bolt_rate_t   rate;               // of the link that wrote `queue`
    bit<1>        ai;                 // the sender's one packet per round trip for its additive increase
    bit<1>        dec;                // a switch has notified the sender about this packet
    bit<1>        inc;                // the sender may add a packet to its window
    bit<1>        first;              // of the first window
    bit<1>        last;               // of the last window: no other packet follows when this one is acknowledged
    bit<1>        fin;
    bit<1>        src;                // a source notification
    bit<1>        chop;
    bit<1>        nack;
    bit<1>        ack;
    bit<1>        data;
    bit<16>       message;
    depth_bytes_t queue;
    bit<32>       sent_ns;            // the sender's time
    bit<8>        hops;
}

// A packet that tells its sender something. It waits in a queue of its own, and no switch decides about it.
#define IS_FEEDBACK(signal) (signal.ack == 1 || signal.nack == 1 || signal.chop == 1 || signal.src == 1)

header ipv4_options_t {
    varbit<320> options;
}

struct headers_t {
    ethernet_t     ethernet;
#ifdef HAS_CSIG
    // csig/types.p4 has these.
    vlan_t         vlan;
    vlan_t         inner_vlan;
    csig_compact_t csig_compact;
    csig_wide_t    csig_wide;
#endif
    ipv4_t         ipv4;
    ipv4_options_t ipv4_options;
    ipv6_t         ipv6;
    transport_t    transport;
#ifdef OWN_PROTOCOL
    signal_t       signal;
#endif
#ifdef HAS_TELEMETRY
    // hpcc/types.p4 has it.
    telemetry_t    telemetry;
#endif
}

// The parser's findings about a packet.
struct parsed_t {
    bit<1>  is_ip;                    // the IP header is whole, and its lengths are right
    bit<32> ip_bytes;
    bit<32> tag_bytes;                // of the headers between Ethernet and IP
    bit<16> no_error;                 // stays 0, which is the checksum of an IPv4 header with its checksum in place
}

#endif
