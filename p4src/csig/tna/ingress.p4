// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Ingress: a tag counts if its port is trusted. Route, and what egress needs of the arrival. Apart from v1model because settings
// are looked up in egress, and nothing is dropped for the queue, which ingress does not see.

#ifndef CSIG_TNA_INGRESS_P4
#define CSIG_TNA_INGRESS_P4

#include "packet.p4"
#include "../arrivals.p4"
#include "../strip.p4"
#include "../../common/routing.p4"

control CsigIngress(
        inout ingress_headers_t hdr,
        inout ingress_metadata_t meta,
        in ingress_intrinsic_metadata_t intrinsic,
        in ingress_intrinsic_metadata_from_parser_t from_parser,
        inout ingress_intrinsic_metadata_for_deparser_t for_deparser,
        inout ingress_intrinsic_metadata_for_tm_t for_tm) {
    // By the port that a packet came by: an IP header or length is wrong; a tag from outside of the domain was removed.
    Counter<bit<64>, port_t>(MAX_PORTS, CounterType_t.PACKETS_AND_BYTES) port_dropped_invalid;
    Counter<bit<64>, port_t>(MAX_PORTS, CounterType_t.PACKETS_AND_BYTES) port_csig_distrusted;
    // Packets routed to a port.
    Counter<bit<64>, port_t>(MAX_PORTS, CounterType_t.PACKETS_AND_BYTES) port_seen;

    Routing() routing;
    Arrivals() arrivals;
    StripTag() strip_tag;

    bit<1> routed;
    bit<1> trusted;
    bit<16> removed_bytes;

    action drop() {
        for_deparser.drop_ctl = 1;
    }

    action add_bridge() {
        hdr.bridge.setValid();
        hdr.bridge.arrived_ns = intrinsic.ingress_mac_tstamp[31:0];
        hdr.bridge.other_bytes = removed_bytes + FRAME_BYTES;
    }

    apply {
        for_deparser.drop_ctl = 0;
        routed = 0;
        removed_bytes = 0;
        if (meta.is_ip == 0 || meta.checksum_error) {
            port_dropped_invalid.count(intrinsic.ingress_port);
        } else {
            routing.apply(hdr.ethernet, hdr.ipv4, hdr.ipv6, for_tm.ucast_egress_port, routed);
        }
        if (routed == 0) {
            drop();
        } else {
            port_seen.count(for_tm.ucast_egress_port);
            arrivals.apply(intrinsic.ingress_port, trusted);
            if (trusted == 0) {
                strip_tag.apply(hdr.ethernet, hdr.vlan, hdr.inner_vlan, hdr.csig_compact, hdr.csig_wide, removed_bytes);
                if (removed_bytes != 0) {
                    port_csig_distrusted.count(intrinsic.ingress_port);
                }
            }
        }
        add_bridge();
    }
}

#endif
