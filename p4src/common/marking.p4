// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Writing a mark into the IP header (RFC 3168), in both pipelines of both programs.

#ifndef QUENCH_MARKING_P4
#define QUENCH_MARKING_P4

#include "headers.p4"

control Marking(inout ipv4_t ipv4, inout ipv6_t ipv6, in ecn_t codepoint) {
    apply {
        if (ipv4.isValid()) {
            ipv4.ecn = codepoint;
        } else {
            ipv6.ecn = codepoint;
        }
    }
}

#endif
