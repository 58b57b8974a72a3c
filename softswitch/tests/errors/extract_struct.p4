// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// extract into something that is no header.
// expect: 11:24: `extract` needs a header, not `metadata_t`

#include "include/frame.p4"

parser Faulty(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(meta);
        transition accept;
    }
}

V1Switch(Faulty(), NoVerify(), NoEgress(), NoEgress(), NoCompute(), EmitAll()) main;
