// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A case with more values than the select.
// expect: 13:13: `select` has 1 key, but the case has 2

#include "include/frame.p4"

parser Faulty(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        transition select(hdr.h.a) {
            (1, 2): accept;
            default: accept;
        }
    }
}

V1Switch(Faulty(), NoVerify(), NoEgress(), NoEgress(), NoCompute(), EmitAll()) main;
