// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The IPv4 header checksum (RFC 791), and those of a source quench that the switch makes itself (RFC 792). Ingress's parser
// verifies, deparsers update. Marking changes only the IP header, so transport checksums stay right.

#ifndef QUENCH_TNA_CHECKSUM_P4
#define QUENCH_TNA_CHECKSUM_P4

#define IPV4_CHECKSUM_FIELDS(ip) \
      ip.version, ip.ihl, ip.dscp, ip.ecn, ip.total_length, ip.identification, ip.flags, ip.fragment_offset, \
      ip.ttl, ip.protocol, ip.source, ip.destination

// Words that a header lacks count as zero.
#define IPV4_OPTION_FIELDS(options) \
      options.w10.word, options.w9.word, options.w8.word, options.w7.word, options.w6.word, \
      options.w5.word, options.w4.word, options.w3.word, options.w2.word, options.w1.word

#endif
