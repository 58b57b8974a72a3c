// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The headers of one packet, in the order in which they leave.

#ifndef QUENCH_PACKET_P4
#define QUENCH_PACKET_P4

#include "../common/headers.p4"

header ipv4_options_t {
    varbit<320> options;
}

struct headers_t {
    packet_in_t    packet_in;
    packet_out_t   packet_out;
    ethernet_t     ethernet;
    ipv4_t         isq_ipv4;          // in front of the packet that a source quench quotes
    icmp_t         isq_icmp;
    ipv6_t         isq_ipv6;
    icmp_t         isq_icmpv6;
    ipv4_t         ipv4;
    ipv4_options_t ipv4_options;
    ipv6_t         ipv6;
    fast_cnp_t     fast_cnp;          // of a Fast CNP that the switch makes
    transport_t    transport;
    bth_t          bth;
    cnp_t          cnp;               // of a CNP that the switch makes
}

#endif
