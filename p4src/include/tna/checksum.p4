// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The IPv4 header checksum. Parsers verify it and take out what the switch may change; deparsers put that back
// (RFC 1624). So nothing has to be known of the options. Marking changes only the IP header, so transport checksums stay right.

#ifndef QUENCH_TNA_CHECKSUM_P4
#define QUENCH_TNA_CHECKSUM_P4

#define IPV4_CHANGING_FIELDS(ip) \
      ip.version, ip.ihl, ip.dscp, ip.ecn, ip.total_length, ip.ttl, ip.protocol

#define IPV4_CHECKSUM_FIELDS(ip) \
      ip.version, ip.ihl, ip.dscp, ip.ecn, ip.total_length, ip.identification, ip.flags, ip.fragment_offset, \
      ip.ttl, ip.protocol, ip.source, ip.destination

#endif
