// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The removal of a CSIG tag. What stood behind it stands behind the last header in front of it.

#ifndef CSIG_STRIP_P4
#define CSIG_STRIP_P4

#include "../datacentre/packet.p4"

control StripTag(inout headers_t hdr, inout bit<32> tag_bytes, out bit<1> stripped) {
    bit<16> ether_type = 0;

    apply {
        stripped = 0;
        if (hdr.csig_compact.isValid()) {
            ether_type = hdr.csig_compact.ether_type;
            hdr.csig_compact.setInvalid();
            tag_bytes = tag_bytes - CSIG_COMPACT_BYTES;
            stripped = 1;
        } else if (hdr.csig_wide.isValid()) {
            ether_type = hdr.csig_wide.ether_type;
            hdr.csig_wide.setInvalid();
            tag_bytes = tag_bytes - CSIG_WIDE_BYTES;
            stripped = 1;
        }
        if (stripped == 1) {
            if (hdr.inner_vlan.isValid()) {
                hdr.inner_vlan.ether_type = ether_type;
            } else if (hdr.vlan.isValid()) {
                hdr.vlan.ether_type = ether_type;
            } else {
                hdr.ethernet.ether_type = ether_type;
            }
        }
    }
}

#endif
