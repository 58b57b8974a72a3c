// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// From headers to bytes. A header that is not valid emits nothing.

#ifndef QUENCH_DATACENTRE_DEPARSER_P4
#define QUENCH_DATACENTRE_DEPARSER_P4

#include "packet.p4"

control DatacentreDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
#ifdef HAS_CSIG
        packet.emit(hdr.vlan);
        packet.emit(hdr.inner_vlan);
        packet.emit(hdr.csig_compact);
        packet.emit(hdr.csig_wide);
#endif
        packet.emit(hdr.ipv4);
        packet.emit(hdr.ipv4_options);
        packet.emit(hdr.ipv6);
        packet.emit(hdr.transport);
#ifdef OWN_PROTOCOL
        packet.emit(hdr.signal);
#endif
#ifdef HAS_TELEMETRY
        packet.emit(hdr.telemetry);
#endif
    }
}

#endif
