// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Tables that are applied in several places with different statements after them, and in loops.

#include <v1model.p4>

header h_t {
    bit<8> operation;
    bit<8> count;
    bit<8> key;
    bit<8> log;
}

#include "../include/one_header.p4"

control Change(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    action note(bit<8> value) {
        hdr.h.log = (hdr.h.log << 4) + value;
        hdr.h.key = hdr.h.key + 1;
    }

    action stop() {}

    table t {
        key = { hdr.h.key: exact; }
        actions = { note; stop; }
        default_action = note(0xF);
        const entries = {
            1: note(1);
            2: note(2);
            3: note(3);
            9: stop();
        }
    }

    table u {
        key = { hdr.h.key: exact; }
        actions = { note; stop; }
        default_action = stop();
        const entries = {
            2: note(5);
        }
    }

    // A miss runs no action.
    table v {
        key = { hdr.h.key: exact; }
        actions = { note; }
        const entries = {
            4: note(4);
        }
    }

    apply {
        std.egress_spec = 1;
        if (hdr.h.operation == 1) {
            t.apply();
            hdr.h.operation = 0x11;
        } else if (hdr.h.operation == 2) {
            t.apply();
            t.apply();
            hdr.h.operation = 0x22;
        } else if (hdr.h.operation == 3) {
            if (t.apply().hit) {
                hdr.h.operation = 0x33;
            } else {
                hdr.h.operation = 0x34;
            }
        } else if (hdr.h.operation == 4) {
            for (bit<8> i = 0; i < hdr.h.count; i = i + 1) {
                t.apply();
                if (hdr.h.key == 9) {
                    break;
                }
                hdr.h.operation = hdr.h.operation + 0x10;
            }
        } else if (hdr.h.operation == 5) {
            for (bit<8> i in 1 .. 2) {
                switch (u.apply().action_run) {
                    note: { hdr.h.operation = hdr.h.operation + 0x10; }
                    stop: { hdr.h.key = hdr.h.key + i; }
                }
            }
            switch (u.apply().action_run) {
                note: { hdr.h.operation = hdr.h.operation + 0x40; }
                default: {}
            }
        } else if (hdr.h.operation == 6) {
            for (; true;) {
                if (!t.apply().hit) {
                    return;
                }
            }
        } else if (hdr.h.operation == 7) {
            switch (t.apply().action_run) {
                note: { hdr.h.operation = 0x70; }
                stop: { hdr.h.operation = 0x71; }
            }
        } else if (hdr.h.operation == 8) {
            if (!v.apply().hit) {
                hdr.h.operation = 0x80;
            }
        } else if (hdr.h.operation == 9) {
            switch (v.apply().action_run) {
                note: { hdr.h.operation = hdr.h.operation + 0x10; }
            }
            switch (v.apply().action_run) {
                note: { hdr.h.operation = hdr.h.operation + 0x20; }
                default: { hdr.h.operation = hdr.h.operation + 0x40; }
            }
        }
    }
}

V1Switch(ParseH(), NoVerify(), Change(), NoEgress(), NoCompute(), EmitAll()) main;
