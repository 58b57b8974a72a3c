// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The fields that the IPv4 header checksum covers (RFC 791), in both programs; each has options in a form of its own.

#ifndef QUENCH_CHECKSUM_FIELDS_P4
#define QUENCH_CHECKSUM_FIELDS_P4

#define IPV4_CHECKSUM_FIELDS(ip) \
      ip.version, ip.ihl, ip.dscp, ip.ecn, ip.total_length, ip.identification, ip.flags, ip.fragment_offset, \
      ip.ttl, ip.protocol, ip.source, ip.destination

#endif
