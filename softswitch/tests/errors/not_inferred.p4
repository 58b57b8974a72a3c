// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A type argument that nothing determines.
// expect: 11:34: cannot infer the type argument `T` of `packet_in.lookahead`: write it between `<` and `>`

#include "include/frame.p4"

parser Faulty(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.advance((bit<32>) packet.lookahead());
        transition accept;
    }
}

V1Switch(Faulty(), NoVerify(), NoEgress(), NoEgress(), NoCompute(), EmitAll()) main;
