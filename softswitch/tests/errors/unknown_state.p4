// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A transition to a state that is not there.
// expect: 12:20: there is no state `more`

#include "include/frame.p4"

parser Faulty(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        transition more;
    }
}

V1Switch(Faulty(), NoVerify(), NoEgress(), NoEgress(), NoCompute(), EmitAll()) main;
