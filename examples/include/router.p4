// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// An IPv4 router without queue management: all that the examples have in common. A program declares its metadata_t, then
// includes this file, and adds an ingress and an egress of its own.

#ifndef EXAMPLES_ROUTER_P4
#define EXAMPLES_ROUTER_P4

#define PORTS 512

const bit<16> ETHERTYPE_IPV4 = 0x0800;
const bit<2> NOT_ECT = 0b00;
const bit<2> CE = 0b11;

header ethernet_t {
    bit<48> destination;
    bit<48> source;
    bit<16> ether_type;
}

header ipv4_t {
    bit<4>  version;
    bit<4>  ihl;
    bit<6>  dscp;
    bit<2>  ecn;
    bit<16> total_length;
    bit<16> identification;
    bit<3>  flags;
    bit<13> fragment_offset;
    bit<8>  ttl;
    bit<8>  protocol;
    bit<16> header_checksum;
    bit<32> source;
    bit<32> destination;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_t     ipv4;
}

// Packets of other protocols, and those with IPv4 options, have no valid ipv4 and are dropped.
parser RouterParser(
        packet_in packet,
        out headers_t hdr,
        inout metadata_t meta,
        inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type, packet.lookahead<bit<8>>()) {
            (ETHERTYPE_IPV4, 0x45): parse_ipv4;
            default: accept;
        }
    }

    state parse_ipv4 {
        packet.extract(hdr.ipv4);
        transition accept;
    }
}

#define CHECKSUM_FIELDS { \
        hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dscp, hdr.ipv4.ecn, hdr.ipv4.total_length, \
        hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragment_offset, hdr.ipv4.ttl, hdr.ipv4.protocol, \
        hdr.ipv4.source, hdr.ipv4.destination }

control RouterVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(hdr.ipv4.isValid(), CHECKSUM_FIELDS, hdr.ipv4.header_checksum, HashAlgorithm.csum16);
    }
}

// A mark changes the checksum as much as the TTL does.
control RouterUpdateChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.ipv4.isValid(), CHECKSUM_FIELDS, hdr.ipv4.header_checksum, HashAlgorithm.csum16);
    }
}

control RouterDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
    }
}

// Longest prefix match. A packet without a route is dropped, and `routed` is 0.
control Route(inout headers_t hdr, inout standard_metadata_t standard_metadata, out bit<1> routed) {
    counter(PORTS, CounterType.packets_and_bytes) seen;

    action forward(bit<9> port, bit<48> source_mac, bit<48> destination_mac) {
        standard_metadata.egress_spec = port;
        hdr.ethernet.source = source_mac;
        hdr.ethernet.destination = destination_mac;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
        routed = 1;
    }

    table ipv4_route {
        key = {
            hdr.ipv4.destination: lpm @name("destination");
        }
        actions = {
            forward;
            NoAction;
        }
        default_action = NoAction();
        size = 4096;
    }

    apply {
        routed = 0;
        mark_to_drop(standard_metadata);
        if (hdr.ipv4.isValid() && hdr.ipv4.ttl > 1 && standard_metadata.checksum_error == 0) {
            ipv4_route.apply();
        }
        if (routed == 1) {
            seen.count((bit<32>) standard_metadata.egress_spec);
        }
    }
}

#endif
