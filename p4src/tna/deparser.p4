// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// From headers to bytes. Apart from v1model because each pipeline has its own deparser, which also computes checksums and
// mirrors.

#ifndef QUENCH_TNA_DEPARSER_P4
#define QUENCH_TNA_DEPARSER_P4

#include "packet.p4"
#include "metadata.p4"
#include "../common/checksum_fields.p4"
#include "options.p4"

#define COPY_FIELDS(meta) \
    { meta.copy.kind, meta.isq_format, 0, meta.decision.reason, meta.decision.level, meta.copy.ports_and_queue, meta.copy.depth, \
      meta.copy.average, meta.copy.time_high, meta.copy.time_low, meta.segment.isq_level, \
      meta.segment.isq_advice }

control QuenchIngressDeparser(
        packet_out packet,
        inout ingress_headers_t hdr,
        in metadata_t meta,
        in ingress_intrinsic_metadata_for_deparser_t for_deparser) {
    Checksum() ipv4_checksum;
    Mirror() mirror;

    apply {
        if (for_deparser.mirror_type == MIRROR_COPY) {
            mirror.emit<copy_t>(meta.copy.session, COPY_FIELDS(meta));
        }
        hdr.ipv4.header_checksum = ipv4_checksum.update({ IPV4_CHECKSUM_FIELDS(hdr.ipv4), IPV4_OPTION_FIELDS(hdr.options) });
        packet.emit(hdr.bridge);
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.options);
        packet.emit(hdr.ipv6);
        packet.emit(hdr.transport);
        packet.emit(hdr.bth);
    }
}

control QuenchEgressDeparser(
        packet_out packet,
        inout egress_headers_t hdr,
        in metadata_t meta,
        in egress_intrinsic_metadata_for_deparser_t for_deparser) {
    Checksum() ipv4_checksum;
    Checksum() isq_ipv4_checksum;
    Checksum() isq_icmp_checksum;
    Checksum() isq_icmpv6_checksum;
    Mirror() mirror;

    apply {
        if (for_deparser.mirror_type == MIRROR_COPY) {
            mirror.emit<copy_t>(meta.copy.session, COPY_FIELDS(meta));
        }
        hdr.ipv4.header_checksum = ipv4_checksum.update({ IPV4_CHECKSUM_FIELDS(hdr.ipv4), IPV4_OPTION_FIELDS(hdr.options) });
        hdr.isq_ipv4.header_checksum = isq_ipv4_checksum.update({ IPV4_CHECKSUM_FIELDS(hdr.isq_ipv4) });
        // The quoted IPv4 header is left out: with its own checksum its sum is zero.
        hdr.isq_icmp.checksum = isq_icmp_checksum.update({
            hdr.isq_icmp.type, hdr.isq_icmp.code, hdr.isq_icmp.rest,
            hdr.transport.first_octet, hdr.transport.rest });
        hdr.isq_icmpv6.checksum = isq_icmpv6_checksum.update({
            ISQ_ICMPV6_FIELDS(hdr.isq_ipv6, hdr.isq_icmpv6, hdr.ipv6, hdr.transport, hdr.bth) });
        packet.emit(hdr.packet_in);
        packet.emit(hdr.recirculated);
        packet.emit(hdr.ethernet);
        packet.emit(hdr.isq_ipv4);
        packet.emit(hdr.isq_icmp);
        packet.emit(hdr.isq_ipv6);
        packet.emit(hdr.isq_icmpv6);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.options);
        packet.emit(hdr.ipv6);
        packet.emit(hdr.fast_cnp);
        packet.emit(hdr.transport);
        packet.emit(hdr.bth);
        packet.emit(hdr.cnp);
    }
}

#endif
