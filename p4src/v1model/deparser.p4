// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// From headers to bytes. A header that is not valid emits nothing.

#ifndef QUENCH_DEPARSER_P4
#define QUENCH_DEPARSER_P4

#include "packet.p4"

control QuenchDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.packet_in);
        packet.emit(hdr.ethernet);
        packet.emit(hdr.isq_ipv4);
        packet.emit(hdr.isq_icmp);
        packet.emit(hdr.isq_ipv6);
        packet.emit(hdr.isq_icmpv6);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.ipv4_options);
        packet.emit(hdr.ipv6);
        packet.emit(hdr.fast_cnp);
        packet.emit(hdr.transport);
        packet.emit(hdr.bth);
        packet.emit(hdr.cnp);
    }
}

#endif
