// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Headers of protocols.

typedef bit<48> mac_t;

enum bit<16> EtherType {
    IPV4 = 0x0800,
    ARP = 0x0806,
    VLAN = 0x8100,
    IPV6 = 0x86DD,
    MPLS = 0x8847
}

enum bit<8> Protocol {
    IPIP = 4,
    UDP = 17
}

header ethernet_t {
    mac_t dst;
    mac_t src;
    bit<16> ether_type;
}

header vlan_t {
    bit<3> priority;
    bit<1> may_drop;
    bit<12> id;
    bit<16> ether_type;
}

header mpls_t {
    bit<20> label;
    bit<3> class;
    bit<1> bottom;
    bit<8> ttl;
}

header ipv4_t {
    bit<4> version;
    bit<4> ihl;
    bit<8> tos;
    bit<16> total_length;
    bit<16> id;
    bit<3> flags;
    bit<13> fragment;
    bit<8> ttl;
    bit<8> protocol;
    bit<16> checksum;
    bit<32> src;
    bit<32> dst;
}

header ipv6_t {
    bit<4> version;
    bit<8> class;
    bit<20> flow;
    bit<16> payload_length;
    bit<8> next_header;
    bit<8> hop_limit;
    bit<128> src;
    bit<128> dst;
}

header udp_t {
    bit<16> src;
    bit<16> dst;
    bit<16> length;
    bit<16> checksum;
}
