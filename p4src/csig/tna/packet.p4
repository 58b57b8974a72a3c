// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The headers of one packet, in the order in which they leave, and what the steps of a pipeline hand on. Apart from v1model
// because each pipeline has its own. Egress reads no header behind the tags.

#ifndef CSIG_TNA_PACKET_P4
#define CSIG_TNA_PACKET_P4

#include "types.p4"
#include "../../common/headers.p4"
#include "../../tna/options.p4"

// From ingress to egress.
header csig_bridge_t {
    time32_ns_t arrived_ns;
    bit<16>     other_bytes;      // of the frame as it arrived, with its check sequence: neither IP nor a tag that goes on
}

struct ingress_headers_t {
    csig_bridge_t  bridge;
    ethernet_t     ethernet;
    vlan_t         vlan;
    vlan_t         inner_vlan;
    csig_compact_t csig_compact;
    csig_wide_t    csig_wide;
    ipv4_t         ipv4;
    ipv4_options_t options;
    ipv6_t         ipv6;
}

struct egress_headers_t {
    csig_bridge_t  bridge;        // extracted, not sent
    ethernet_t     ethernet;
    vlan_t         vlan;
    vlan_t         inner_vlan;
    csig_compact_t csig_compact;
    csig_wide_t    csig_wide;
}

struct ingress_metadata_t {
    bit<1> is_ip;                 // the IP header is whole, and its lengths are right as far as ingress knows
    bool   checksum_error;
}

// The settings of the port that a packet leaves by, from the control plane.
struct egress_metadata_t {
    departure_t       departure;
    csig_locator_t    locator;
    compact_locator_t compact_locator;   // its last bits
    csig_number_t     bandwidth;         // of the link, in units of 8 Mb/s
    link_t            link;
    bit<8>            delay_shift;       // the unit of delays is 2^delay_shift ns
    bit<16>           overhead_bytes;    // of each packet on the link, beside IP and tags
}

#endif
