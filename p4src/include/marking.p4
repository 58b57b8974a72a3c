// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Writing a mark into the IP header (RFC 3168; with levels as the profile's codepoints say).

#ifndef QUENCH_MARKING_P4
#define QUENCH_MARKING_P4

#include "packet.p4"
#include "metadata.p4"

control Marking(inout headers_t hdr, inout metadata_t meta) {
    apply {
        if (meta.verdict.mark2 == 1) {
            meta.ecn = meta.profile.level2_codepoint;
        } else {
            meta.ecn = meta.profile.level1_codepoint;
        }
        if (hdr.ipv4.isValid()) {
            hdr.ipv4.ecn = meta.ecn;
        } else {
            hdr.ipv6.ecn = meta.ecn;
        }
    }
}

#endif
