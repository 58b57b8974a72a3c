// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A case of another width than the value.
// expect: 13:13: expected `bit<8>`, found `bit<16>`

#include "include/frame.p4"

parser Faulty(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        transition select(hdr.h.a) {
            16w1: accept;
            default: accept;
        }
    }
}

V1Switch(Faulty(), NoVerify(), NoEgress(), NoEgress(), NoCompute(), EmitAll()) main;
