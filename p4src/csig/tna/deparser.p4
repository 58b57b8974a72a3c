// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// From headers to bytes. Apart from v1model because each pipeline has its own deparser; that of ingress also updates the IPv4
// header checksum.

#ifndef CSIG_TNA_DEPARSER_P4
#define CSIG_TNA_DEPARSER_P4

#include "packet.p4"
#include "../../common/checksum_fields.p4"

control CsigIngressDeparser(
        packet_out packet,
        inout ingress_headers_t hdr,
        in ingress_metadata_t meta,
        in ingress_intrinsic_metadata_for_deparser_t for_deparser) {
    Checksum() ipv4_checksum;

    apply {
        hdr.ipv4.header_checksum = ipv4_checksum.update({ IPV4_CHECKSUM_FIELDS(hdr.ipv4), IPV4_OPTION_FIELDS(hdr.options) });
        packet.emit(hdr.bridge);
        packet.emit(hdr.ethernet);
        packet.emit(hdr.vlan);
        packet.emit(hdr.inner_vlan);
        packet.emit(hdr.csig_compact);
        packet.emit(hdr.csig_wide);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.options);
        packet.emit(hdr.ipv6);
    }
}

control CsigEgressDeparser(
        packet_out packet,
        inout egress_headers_t hdr,
        in egress_metadata_t meta,
        in egress_intrinsic_metadata_for_deparser_t for_deparser) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.vlan);
        packet.emit(hdr.inner_vlan);
        packet.emit(hdr.csig_compact);
        packet.emit(hdr.csig_wide);
    }
}

#endif
