// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The removal of a CSIG tag, in both programs. What stood behind it stands behind the last header in front of it.

#ifndef CSIG_STRIP_P4
#define CSIG_STRIP_P4

#include "format.p4"
#include "../common/headers.p4"

// `removed_bytes`: of the tag; 0: there was none.
control StripTag(
        inout ethernet_t ethernet,
        inout vlan_t vlan,
        inout vlan_t inner_vlan,
        inout csig_compact_t compact,
        inout csig_wide_t wide,
        out bit<16> removed_bytes) {
    bit<16> ether_type = 0;

    apply {
        removed_bytes = 0;
        if (compact.isValid()) {
            ether_type = compact.ether_type;
            compact.setInvalid();
            removed_bytes = CSIG_COMPACT_BYTES;
        } else if (wide.isValid()) {
            ether_type = wide.ether_type;
            wide.setInvalid();
            removed_bytes = CSIG_WIDE_BYTES;
        }
        if (removed_bytes != 0) {
            if (inner_vlan.isValid()) {
                inner_vlan.ether_type = ether_type;
            } else if (vlan.isValid()) {
                vlan.ether_type = ether_type;
            } else {
                ethernet.ether_type = ether_type;
            }
        }
    }
}

#endif
