// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The fields that the invariant CRC of a CNP covers (InfiniBand Architecture, section 7.8 and annex A17.3), in both programs: ones
// stand for a header that RoCEv2 does not have, and for what switches may change. What a CNP has always is a number here.

#ifndef QUENCH_ICRC_FIELDS_P4
#define QUENCH_ICRC_FIELDS_P4

#include "cnp_headers.p4"

#define ICRC_BEGIN 64w0xffffffffffffffff

#define ICRC_IPV4_FIELDS(ip) \
      IPV4_VERSION, IPV4_WORDS, 8w0xff, IPV4_BYTES + CNP_UDP_BYTES, 16w0, IPV4_DONT_FRAGMENT, 13w0, 8w0xff, PROTOCOL_UDP, \
      16w0xffff, ip.source, ip.destination

#define ICRC_IPV6_FIELDS(ip, payload_bytes, next_header) \
      IPV6_VERSION, 28w0xfffffff, payload_bytes, next_header, 8w0xff, ip.source, ip.destination

#define ICRC_OPTIONS(options) FAST_CNP_START, options.original_destination

// The UDP header from its source port, the BTH, and the reserved bytes.
#define ICRC_ROCE_FIELDS(transport, bth, reserved_bytes) \
      transport.first_octet, transport.rest[55:48], ROCE_PORT, CNP_UDP_BYTES, 16w0xffff, \
      BTH_CNP, 8w0, bth.partition, 8w0xff, bth.destination_qp, 8w0, bth.sequence, reserved_bytes

#endif
