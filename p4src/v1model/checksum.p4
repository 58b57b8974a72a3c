// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The IPv4 header checksum (RFC 791), and the checksums of a source quench that the switch makes itself (RFC 792,
// RFC 4443). A mark changes only the IP header, so transport checksums stay correct.

#ifndef QUENCH_CHECKSUM_P4
#define QUENCH_CHECKSUM_P4

#include "packet.p4"
#include "metadata.p4"
#include "../common/checksum_fields.p4"

control QuenchVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        // The sum covers the checksum too, as RFC 1071 has it. So 0xffff is as good as 0x0000, which RFC 1141 may have turned
        // into it (RFC 1624 section 5).
        verify_checksum(hdr.ipv4.isValid(),
            { IPV4_CHECKSUM_FIELDS(hdr.ipv4), hdr.ipv4.header_checksum, hdr.ipv4_options.options },
            meta.no_error, HashAlgorithm.csum16);
    }
}

control QuenchUpdateChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        // First: the ICMP checksum of a source quench covers this one.
        update_checksum(hdr.ipv4.isValid(),
            { IPV4_CHECKSUM_FIELDS(hdr.ipv4), hdr.ipv4_options.options },
            hdr.ipv4.header_checksum, HashAlgorithm.csum16);
        update_checksum(hdr.isq_ipv4.isValid(),
            { IPV4_CHECKSUM_FIELDS(hdr.isq_ipv4) },
            hdr.isq_ipv4.header_checksum, HashAlgorithm.csum16);
        update_checksum(hdr.isq_icmp.isValid(),
            { hdr.isq_icmp.type, hdr.isq_icmp.code, hdr.isq_icmp.rest,
              IPV4_CHECKSUM_FIELDS(hdr.ipv4), hdr.ipv4.header_checksum, hdr.ipv4_options.options,
              hdr.transport.first_octet, hdr.transport.rest },
            hdr.isq_icmp.checksum, HashAlgorithm.csum16);
        update_checksum(hdr.isq_icmpv6.isValid(),
            { ISQ_ICMPV6_FIELDS(hdr.isq_ipv6, hdr.isq_icmpv6, hdr.ipv6, hdr.transport, hdr.bth) },
            hdr.isq_icmpv6.checksum, HashAlgorithm.csum16);
    }
}

#endif
