// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The IPv4 header checksum (RFC 791). Transports of the data centre have none of their own.

#ifndef QUENCH_DATACENTRE_CHECKSUM_P4
#define QUENCH_DATACENTRE_CHECKSUM_P4

#include "packet.p4"
#include "../common/checksum_fields.p4"

control DatacentreVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        // As in v1model/checksum.p4, the sum covers the checksum too.
        verify_checksum(hdr.ipv4.isValid(),
            { IPV4_CHECKSUM_FIELDS(hdr.ipv4), hdr.ipv4.header_checksum, hdr.ipv4_options.options },
            meta.parsed.no_error, HashAlgorithm.csum16);
    }
}

control DatacentreUpdateChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.ipv4.isValid(),
            { IPV4_CHECKSUM_FIELDS(hdr.ipv4), hdr.ipv4_options.options },
            hdr.ipv4.header_checksum, HashAlgorithm.csum16);
    }
}

#endif
