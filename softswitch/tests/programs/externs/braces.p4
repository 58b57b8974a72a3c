// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// log_msg: a brace behind a backslash is text, others are places of values, whatever stands in them.

#include <v1model.p4>

header h_t {
    bit<8> value;
}

#include "../include/one_header.p4"

control Talk(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 1;
        log_msg("set \\{a\\} = {}", { hdr.h.value });
        log_msg("x {} \\{\\}", { hdr.h.value });
        log_msg("json: \\{\"k\": {}\\}", { hdr.h.value });
        log_msg("q {name}", { hdr.h.value });
    }
}

V1Switch(ParseH(), NoVerify(), Talk(), NoEgress(), NoCompute(), EmitAll()) main;
