// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The parsers' states for the headers between Ethernet and IP, in both programs: VLAN tags, up to two, and behind them one CSIG
// tag. COUNT is applied to the bytes of each, BEHIND has what may follow them.

#ifndef CSIG_PARSING_P4
#define CSIG_PARSING_P4

#include "format.p4"

#define IP_TYPES \
            ETHERTYPE_IPV4: parse_ipv4; \
            ETHERTYPE_IPV6: parse_ipv6; \
            default: accept;

#define CSIG_TYPES \
            ETHERTYPE_CSIG_COMPACT: parse_csig_compact; \
            ETHERTYPE_CSIG_WIDE: parse_csig_wide;

#define TAG_TYPES \
            ETHERTYPE_VLAN: parse_vlan; \
            ETHERTYPE_SERVICE_VLAN: parse_vlan; \
            CSIG_TYPES

#define PARSE_TAGS(COUNT, BEHIND) \
    state parse_vlan { \
        packet.extract(hdr.vlan); \
        COUNT(VLAN_BYTES) \
        transition select(hdr.vlan.ether_type) { \
            ETHERTYPE_VLAN: parse_inner_vlan; \
            ETHERTYPE_SERVICE_VLAN: parse_inner_vlan; \
            CSIG_TYPES \
            BEHIND \
        } \
    } \
    state parse_inner_vlan { \
        packet.extract(hdr.inner_vlan); \
        COUNT(VLAN_BYTES) \
        transition select(hdr.inner_vlan.ether_type) { \
            CSIG_TYPES \
            BEHIND \
        } \
    } \
    state parse_csig_compact { \
        packet.extract(hdr.csig_compact); \
        COUNT(CSIG_COMPACT_BYTES) \
        transition select(hdr.csig_compact.ether_type) { \
            BEHIND \
        } \
    } \
    state parse_csig_wide { \
        packet.extract(hdr.csig_wide); \
        COUNT(CSIG_WIDE_BYTES) \
        transition select(hdr.csig_wide.ether_type) { \
            BEHIND \
        } \
    }

#endif
