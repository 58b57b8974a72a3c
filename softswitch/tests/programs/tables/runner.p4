// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A table to try the commands of STF that BMv2's runner ignores: remove, wait, no_packet, changed defaults between packets.

#include <v1model.p4>

header h_t {
    bit<8> key;
    bit<8> value;
}

#include "../include/one_header.p4"

control Forward(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    action drop() {
        mark_to_drop(std);
    }
    action to_port(bit<9> port, bit<8> value) {
        std.egress_spec = port;
        hdr.h.value = value;
    }
    table forward {
        key = { hdr.h.key: ternary; hdr.h.value: range; std.ingress_port: optional; }
        actions = { to_port; drop; }
        default_action = drop();
    }

    apply {
        forward.apply();
    }
}

V1Switch(ParseH(), NoVerify(), Forward(), NoEgress(), NoCompute(), EmitAll()) main;
