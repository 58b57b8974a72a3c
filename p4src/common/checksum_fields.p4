// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The fields that checksums cover, in both programs: the IPv4 header's (RFC 791), whose options each has in a form of its own; and
// that of a source quench of ICMPv6 (RFC 4443 section 2.3).

#ifndef QUENCH_CHECKSUM_FIELDS_P4
#define QUENCH_CHECKSUM_FIELDS_P4

#define IPV4_CHECKSUM_FIELDS(ip) \
      ip.version, ip.ihl, ip.dscp, ip.ecn, ip.total_length, ip.identification, ip.flags, ip.fragment_offset, \
      ip.ttl, ip.protocol, ip.source, ip.destination

#define ISQ_ICMPV6_FIELDS(outer, icmpv6, quoted, transport, bth) \
      outer.source, outer.destination, outer.payload_length, 8w0, outer.next_header, \
      icmpv6.type, icmpv6.code, icmpv6.rest, \
      quoted.version, quoted.dscp, quoted.ecn, quoted.flow_label, quoted.payload_length, quoted.next_header, \
      quoted.hop_limit, quoted.source, quoted.destination, \
      transport.first_octet, transport.rest, \
      bth.opcode, bth.solicited, bth.migration, bth.pad_count, bth.version, bth.partition, bth.fecn, bth.becn, bth.reserved, \
      bth.destination_qp, bth.acknowledge, bth.reserved2, bth.sequence

#endif
