// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// For programs that compute on one header, hdr.h: all but the ingress control. Include it after h_t.

struct headers_t {
    h_t h;
}

struct metadata_t {}

parser ParseH(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

#include "stages.p4"
