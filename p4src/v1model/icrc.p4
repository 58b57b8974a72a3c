// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The invariant CRC of a CNP.

#ifndef QUENCH_ICRC_P4
#define QUENCH_ICRC_P4

#include "packet.p4"
#include "../common/icrc_fields.p4"

const bit<64> ALL_CRCS = 1 << 32;

control Icrc(inout headers_t hdr) {
    bit<32> crc;

    apply {
        if (hdr.ipv4.isValid()) {
            hash(crc, HashAlgorithm.crc32, 32w0, { ICRC_BEGIN, ICRC_IPV4_FIELDS(hdr.ipv4),
                ICRC_ROCE_FIELDS(hdr.transport, hdr.bth, hdr.cnp.original_destination) }, ALL_CRCS);
        } else if (hdr.fast_cnp.isValid()) {
            hash(crc, HashAlgorithm.crc32, 32w0, { ICRC_BEGIN,
                ICRC_IPV6_FIELDS(hdr.ipv6, FAST_CNP_OPTIONS_BYTES + CNP_UDP_BYTES, PROTOCOL_DESTINATION_OPTIONS),
                ICRC_OPTIONS(hdr.fast_cnp), ICRC_ROCE_FIELDS(hdr.transport, hdr.bth, 128w0) }, ALL_CRCS);
        } else {
            hash(crc, HashAlgorithm.crc32, 32w0, { ICRC_BEGIN, ICRC_IPV6_FIELDS(hdr.ipv6, CNP_UDP_BYTES, PROTOCOL_UDP),
                ICRC_ROCE_FIELDS(hdr.transport, hdr.bth, hdr.cnp.original_destination) }, ALL_CRCS);
        }
        hdr.cnp.icrc = crc[7:0] ++ crc[15:8] ++ crc[23:16] ++ crc[31:24];
    }
}

#endif
