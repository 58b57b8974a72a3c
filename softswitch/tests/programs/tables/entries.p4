// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Entries in the program: range and optional keys, masks, priorities in either order, constant and initial ones.

#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<16> b;
    bit<8> by_range;
    bit<8> by_optional;
    bit<8> by_priority;
    bit<8> smallest_wins;
    bit<8> initial;
}

#include "../include/one_header.p4"

control Match(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    action range_is(bit<8> value) { hdr.h.by_range = value; }
    action optional_is(bit<8> value) { hdr.h.by_optional = value; }
    action priority_is(bit<8> value) { hdr.h.by_priority = value; }
    action smallest_is(bit<8> value) { hdr.h.smallest_wins = value; }
    action initial_is(bit<8> value) { hdr.h.initial = value; }

    // Without priorities, constant entries are tried in the order in which they stand.
    table ranges {
        key = { hdr.h.a: range; hdr.h.b: ternary; }
        actions = { range_is; }
        const default_action = range_is(0);
        const entries = {
            (10 .. 20, 0x1200 &&& 0xFF00): range_is(1);
            (15 .. 30, _): range_is(2);
            (15, 7): range_is(3);
            (200 .. 255, default): range_is(4);
        }
    }

    table optionals {
        key = { hdr.h.a: optional; hdr.h.b: optional; }
        actions = { optional_is; }
        const entries = {
            (1, 0x0001): optional_is(1);
            (1, _): optional_is(2);
            (_, 0x0001): optional_is(3);
        }
    }

    table priorities {
        key = { hdr.h.a: ternary; }
        actions = { priority_is; }
        largest_priority_wins = true;
        entries = {
            const priority = 10: 0x00 &&& 0xF0: priority_is(1);
            const priority = 30: 0x01 &&& 0x0F: priority_is(2);
            priority = 20: 0x01: priority_is(3);
        }
    }

    table smallest {
        key = { hdr.h.a: ternary; }
        actions = { smallest_is; }
        largest_priority_wins = false;
        priority_delta = 10;
        entries = {
            priority = 50: 0x00 &&& 0xF0: smallest_is(1);
            0x01 &&& 0x0F: smallest_is(2);      // 60
            priority = 1: 0x02: smallest_is(3);
        }
    }

    table initial {
        key = { hdr.h.b: lpm; }
        actions = { initial_is; }
        entries = {
            0x1200 &&& 0xFF00: initial_is(1);
            const 0x1230 &&& 0xFFF0: initial_is(2);
        }
    }

    apply {
        std.egress_spec = 1;
        ranges.apply();
        optionals.apply();
        priorities.apply();
        smallest.apply();
        initial.apply();
    }
}

V1Switch(ParseH(), NoVerify(), Match(), NoEgress(), NoCompute(), EmitAll()) main;
