// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Results of tables: hit, miss, switch on action_run with fall-through; switch on values; support_timeout, keyless tables.

#include <v1model.p4>

header h_t {
    bit<8> key;
    bit<8> hits;
    bit<8> colour;
    bit<8> value;
    bit<8> keyless;
}

#include "../include/one_header.p4"

control Decide(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    action red() { hdr.h.value = 0xA0; }
    action green(bit<8> shade) { hdr.h.value = 0xB0 | shade; }
    action blue() {}
    action keyless_is(bit<8> value) { hdr.h.keyless = value; }

    table colours {
        key = { hdr.h.key: exact; }
        actions = { red; green; blue; NoAction; }
        default_action = NoAction();
        size = 64;
        support_timeout = true;
    }

    table second {
        key = { hdr.h.key: ternary; }
        actions = { red; blue; }
        support_timeout = false;
    }

    table keyless {
        actions = { keyless_is; }
        default_action = keyless_is(0x77);
    }

    apply {
        std.egress_spec = 1;
        hdr.h.hits = 0;
        switch (colours.apply().action_run) {
            red:
            green: { hdr.h.colour = 1; }
            blue: { hdr.h.colour = 2; }
            default: {
                hdr.h.colour = 3;
                if (second.apply().hit) {
                    hdr.h.hits = hdr.h.hits + 2;
                } else {
                    hdr.h.hits = hdr.h.hits + 4;
                }
            }
        }
        if (!keyless.apply().miss) {
            hdr.h.hits = hdr.h.hits + 8;
        }
        switch (hdr.h.key) {
            0x01: { hdr.h.hits[7:7] = 1; }
            0x02:
            0x03: { hdr.h.hits[6:6] = 1; }
            default: {
                switch (hdr.h.colour) {
                    3: { hdr.h.hits[5:5] = 1; }
                }
            }
        }
    }
}

V1Switch(ParseH(), NoVerify(), Decide(), NoEgress(), NoCompute(), EmitAll()) main;
