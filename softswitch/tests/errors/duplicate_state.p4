// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Two states of one name.
// expect: 18:11: there are two states `more`

#include "include/frame.p4"

parser Faulty(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        transition more;
    }

    state more {
        transition accept;
    }

    state more {
        transition reject;
    }
}

V1Switch(Faulty(), NoVerify(), NoEgress(), NoEgress(), NoCompute(), EmitAll()) main;
