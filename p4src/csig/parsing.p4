// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The parser's states for the headers between Ethernet and IP: VLAN tags, up to two, and behind them one CSIG tag.

#ifndef CSIG_PARSING_P4
#define CSIG_PARSING_P4

#include "types.p4"

#define BEHIND_TAGS \
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

#define TAG_STATES \
    state parse_vlan { \
        packet.extract(hdr.vlan); \
        meta.parsed.tag_bytes = VLAN_BYTES; \
        transition select(hdr.vlan.ether_type) { \
            ETHERTYPE_VLAN: parse_inner_vlan; \
            ETHERTYPE_SERVICE_VLAN: parse_inner_vlan; \
            CSIG_TYPES \
            BEHIND_TAGS \
        } \
    } \
    state parse_inner_vlan { \
        packet.extract(hdr.inner_vlan); \
        meta.parsed.tag_bytes = 2 * VLAN_BYTES; \
        transition select(hdr.inner_vlan.ether_type) { \
            CSIG_TYPES \
            BEHIND_TAGS \
        } \
    } \
    state parse_csig_compact { \
        packet.extract(hdr.csig_compact); \
        meta.parsed.tag_bytes = meta.parsed.tag_bytes + CSIG_COMPACT_BYTES; \
        transition select(hdr.csig_compact.ether_type) { \
            BEHIND_TAGS \
        } \
    } \
    state parse_csig_wide { \
        packet.extract(hdr.csig_wide); \
        meta.parsed.tag_bytes = meta.parsed.tag_bytes + CSIG_WIDE_BYTES; \
        transition select(hdr.csig_wide.ether_type) { \
            BEHIND_TAGS \
        } \
    }

#endif
