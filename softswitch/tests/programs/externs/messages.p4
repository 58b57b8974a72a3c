// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Externs with effects outside the packet: digest, log_msg, assert and assume that hold, random within its bounds.

#include <v1model.p4>

header h_t {
    bit<8> value;
    bit<8> fixed;
    bit<8> in_bounds;
    bit<16> wide;
}

struct seen_t {
    bit<8> value;
    bit<9> port;
    bit<16> wide;
}

#include "../include/one_header.p4"

control Talk(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 1;
        log_msg("a packet");
        log_msg("value {} of a packet of {} bytes", { hdr.h.value, std.packet_length });
        assert(hdr.h.isValid());
        assume(std.packet_length >= 5);
        digest<seen_t>(1, { hdr.h.value, std.ingress_port, 0x1234 });

        random(hdr.h.fixed, 8w7, 7);
        bit<8> drawn;
        random<bit<8>>(drawn, 10, 13);
        hdr.h.in_bounds = 0;
        if (drawn >= 10 && drawn <= 13) {
            hdr.h.in_bounds = 1;
        }
        random(hdr.h.wide, (bit<16>) hdr.h.value, 16w0xFFFF);
        if (hdr.h.wide >= (bit<16>) hdr.h.value) {
            hdr.h.wide = 1;
        }
    }
}

V1Switch(ParseH(), NoVerify(), Talk(), NoEgress(), NoCompute(), EmitAll()) main;
