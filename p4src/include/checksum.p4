// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The IPv4 header checksum (RFC 791). Marking changes only the IP header, so transport checksums stay right.

#ifndef QUENCH_CHECKSUM_P4
#define QUENCH_CHECKSUM_P4

#include "headers.p4"
#include "metadata.p4"

#define IPV4_CHECKSUM_FIELDS(hdr) \
    { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dscp, hdr.ipv4.ecn, hdr.ipv4.total_length, \
      hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragment_offset, hdr.ipv4.ttl, hdr.ipv4.protocol, \
      hdr.ipv4.source, hdr.ipv4.destination, hdr.ipv4_options.options }

control QuenchVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(hdr.ipv4.isValid(), IPV4_CHECKSUM_FIELDS(hdr),
            hdr.ipv4.header_checksum, HashAlgorithm.csum16);
    }
}

control QuenchUpdateChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.ipv4.isValid(), IPV4_CHECKSUM_FIELDS(hdr),
            hdr.ipv4.header_checksum, HashAlgorithm.csum16);
    }
}

#endif
