// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The fields of the IP header that the decision uses. On v1model the parser copies them. Tofino's parser extracts whole
// bytes, and DSCP and ECN share one.

#ifndef QUENCH_TNA_IP_FIELDS_P4
#define QUENCH_TNA_IP_FIELDS_P4

#include "headers.p4"

control IpFields(in ipv4_t ipv4, in ipv6_t ipv6, out dscp_t dscp, out ecn_t ecn, out bit<16> ip_bytes) {
    action read_ipv4() {
        dscp = ipv4.dscp;
        ecn = ipv4.ecn;
        ip_bytes = ipv4.total_length;
    }

    action read_ipv6() {
        dscp = ipv6.dscp;
        ecn = ipv6.ecn;
        ip_bytes = ipv6.payload_length |+| IPV6_BYTES;
    }

    apply {
        if (ipv4.isValid()) {
            read_ipv4();
        } else {
            read_ipv6();
        }
    }
}

#endif
