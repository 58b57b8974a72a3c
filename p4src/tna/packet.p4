// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The headers of one packet, in the order in which they leave. Apart from v1model because each pipeline has its own.

#ifndef QUENCH_TNA_PACKET_P4
#define QUENCH_TNA_PACKET_P4

#include "headers.p4"
#include "options.p4"

struct ingress_headers_t {
    bridge_t       bridge;
    packet_out_t   packet_out;        // extracted, not sent
    copy_t         state;             // extracted, not sent
    recirculated_t recirculated;      // extracted, not sent
    ethernet_t     ethernet;
    ipv4_t         ipv4;
    ipv4_options_t options;
    ipv6_t         ipv6;
    transport_t    transport;
    bth_t          bth;
}

struct egress_headers_t {
    bridge_t       bridge;            // extracted, not sent
    copy_t         copy;              // extracted, not sent
    packet_in_t    packet_in;
    recirculated_t recirculated;
    ethernet_t     ethernet;
    ipv4_t         isq_ipv4;          // in front of the packet that a source quench quotes
    icmp_t         isq_icmp;
    ipv6_t         isq_ipv6;
    icmp_t         isq_icmpv6;
    ipv4_t         ipv4;
    ipv4_options_t options;
    ipv6_t         ipv6;
    fast_cnp_t     fast_cnp;          // of a Fast CNP that the switch makes
    transport_t    transport;
    bth_t          bth;
    cnp_t          cnp;               // of a CNP that the switch makes
}

#endif
