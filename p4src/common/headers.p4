// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Headers on the wire and of packets to and from the CPU, the same in both programs.

#ifndef QUENCH_HEADERS_P4
#define QUENCH_HEADERS_P4

#include "types.p4"

@controller_header("packet_in")
header packet_in_t {
    @id(1) reason_t          reason;
    @id(2) level_t           level;             // mark level 1 or 2; 0 for drops and reports
    @id(3) port_t            ingress_port;
    @id(4) port_t            egress_port;
    @id(5) queue_t           queue;
    @id(6) @padding bit<3>   pad0;
    @id(7) report_depth_t    depth_pkts;        // instantaneous queue
    @id(8) report_average_t  average_q16_pkts;  // average queue, 16 fractional bits
    @id(9) time_us_t         time_us;
    @id(10) level_t          isq_level;         // 0..127, for the source; 0 if the profile has no levels
    @id(11) advice_t         isq_advice;        // for the source
}

@controller_header("packet_out")
header packet_out_t {
    @id(1) port_t  egress_port;
    @id(2) bit<1>  submit_to_ingress;     // 1: route it as any packet and ignore egress_port
    @id(3) @padding bit<6> pad0;
}

header ethernet_t {
    mac_address_t destination;
    mac_address_t source;
    bit<16>       ether_type;
}

header ipv4_t {
    bit<4>         version;
    bit<4>         ihl;
    dscp_t         dscp;
    ecn_t          ecn;
    bit<16>        total_length;
    bit<16>        identification;
    bit<3>         flags;
    bit<13>        fragment_offset;
    bit<8>         ttl;
    bit<8>         protocol;
    bit<16>        header_checksum;
    ipv4_address_t source;
    ipv4_address_t destination;
}

header ipv6_t {
    bit<4>         version;
    dscp_t         dscp;
    ecn_t          ecn;
    bit<20>        flow_label;
    bit<16>        payload_length;
    bit<8>         next_header;
    bit<8>         hop_limit;
    ipv6_address_t source;
    ipv6_address_t destination;
}

// The 8 bytes behind the IP header, which an ICMP error quotes (RFC 792). Transport headers begin here.
header transport_t {
    bit<8>  first_octet;              // of an ICMP message: its type
    bit<56> rest;
}

// The base transport header of RoCEv2 (InfiniBand Architecture, section 9.2).
header bth_t {
    bit<8>  opcode;
    bit<1>  solicited;
    bit<1>  migration;
    bit<2>  pad_count;
    bit<4>  version;
    bit<16> partition;
    bit<1>  fecn;
    bit<1>  becn;
    bit<6>  reserved;
    bit<24> destination_qp;
    bit<1>  acknowledge;
    bit<7>  reserved2;
    bit<24> sequence;
}

// The bytes behind a CNP's BTH, which InfiniBand reserves. A switch's CNP has the destination of the packet that it is about
// in them, with IPv4 as ::ffff:0:0/96, because a queue pair's number alone does not tell the flow.
header cnp_t {
    ipv6_address_t original_destination;
    bit<32>        icrc;              // least significant byte first
}

// The destination options of a Fast CNP (RFC 8200 section 4.6, draft-xiao-rtgwg-rocev2-fast-cnp): 4 bytes of padding, and one
// option, whose data are aligned to 8 bytes.
header fast_cnp_t {
    bit<64>        start;
    ipv6_address_t original_destination;
}

header icmp_t {
    bit<8>  type;
    bit<8>  code;
    bit<16> checksum;
    bit<32> rest;
}

#endif
