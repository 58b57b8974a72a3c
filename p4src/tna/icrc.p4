// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The invariant CRC of a CNP. Apart from v1model because each list of fields has a hash unit of its own, and another one swaps
// the bytes: no ALU does that.

#ifndef QUENCH_TNA_ICRC_P4
#define QUENCH_TNA_ICRC_P4

#include "packet.p4"
#include "../common/icrc_fields.p4"

control Icrc(inout egress_headers_t hdr) {
    Hash<bit<32>>(HashAlgorithm_t.CRC32) ipv4_crc;
    Hash<bit<32>>(HashAlgorithm_t.CRC32) ipv6_crc;
    Hash<bit<32>>(HashAlgorithm_t.CRC32) fast_crc;
    Hash<bit<32>>(HashAlgorithm_t.IDENTITY) swapped_bytes;

    bit<32> crc;

    action cover_ipv4() {
        crc = ipv4_crc.get({ ICRC_BEGIN, ICRC_IPV4_FIELDS(hdr.ipv4),
            ICRC_ROCE_FIELDS(hdr.transport, hdr.bth, hdr.cnp.original_destination) });
    }

    action cover_ipv6() {
        crc = ipv6_crc.get({ ICRC_BEGIN, ICRC_IPV6_FIELDS(hdr.ipv6, CNP_UDP_BYTES, PROTOCOL_UDP),
            ICRC_ROCE_FIELDS(hdr.transport, hdr.bth, hdr.cnp.original_destination) });
    }

    action cover_fast() {
        crc = fast_crc.get({ ICRC_BEGIN,
            ICRC_IPV6_FIELDS(hdr.ipv6, FAST_CNP_OPTIONS_BYTES + CNP_UDP_BYTES, PROTOCOL_DESTINATION_OPTIONS),
            ICRC_OPTIONS(hdr.fast_cnp), ICRC_ROCE_FIELDS(hdr.transport, hdr.bth, 128w0) });
    }

    action write() {
        hdr.cnp.icrc = swapped_bytes.get({ crc[7:0], crc[15:8], crc[23:16], crc[31:24] });
    }

    apply {
        if (hdr.ipv4.isValid()) {
            cover_ipv4();
        } else if (hdr.fast_cnp.isValid()) {
            cover_fast();
        } else {
            cover_ipv6();
        }
        write();
    }
}

#endif
