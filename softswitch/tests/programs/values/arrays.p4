// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Arrays of numbers, truth values, structs and arrays, in headers and variables; indices known at compile time and at run
// time; run-time indices into a stack of header unions.

#include <v1model.p4>

struct pair_t {
    bit<8> low;
    bit<8> high;
}

header h_t {
    bit<8> operation;
    bit<8> index;
    bit<8>[4] bytes;
    bit<1> flags[8];
}

header byte_t {
    bit<8> value;
}

header word_t {
    bit<16> value;
}

header_union item_t {
    byte_t byte;
    word_t word;
}

struct headers_t {
    h_t h;
    item_t[3] items;
}

struct metadata_t {
    pair_t[3] pairs;
}

parser ParseH(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    bit<2> at;

    state start {
        packet.extract(hdr.h);
        at = hdr.h.flags[7] ++ hdr.h.flags[6];
        transition select(hdr.h.operation) {
            8: items;
            default: accept;
        }
    }

    state items {
        packet.extract(hdr.items[at].word);
        transition accept;
    }
}

#include "../include/stages.p4"

bit<8> sum(in bit<8>[4] values) {
    bit<8> result = 0;
    for (bit<8> value in values) {
        result = result + value;
    }
    return result;
}

void swap(inout bit<8> a, inout bit<8> b) {
    bit<8> old = a;
    a = b;
    b = old;
}

control Change(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    bit<8>[2][2] matrix = { { 1, 2 }, { 3, 4 } };
    bool[4] seen = { false, false, true, false };
    item_t item;

    action change() {
        if (hdr.h.operation == 1) {
            // No element has an index outside: nothing is written.
            hdr.h.bytes[hdr.h.index] = 0xFF;
        } else if (hdr.h.operation == 2) {
            hdr.h.bytes[0] = hdr.h.bytes[hdr.h.index];
            hdr.h.bytes[1] = sum(hdr.h.bytes);
        } else if (hdr.h.operation == 3) {
            hdr.h.flags[hdr.h.index] = 1;
        } else if (hdr.h.operation == 4) {
            meta.pairs[hdr.h.index] = { 0x12, 0x34 };
            meta.pairs[hdr.h.index].high[3:0] = 0xF;
            pair_t copy = meta.pairs[hdr.h.index];
            hdr.h.bytes[0] = copy.low;
            hdr.h.bytes[1] = meta.pairs[hdr.h.index].high;
            hdr.h.bytes[2] = meta.pairs[0].low;
        } else if (hdr.h.operation == 5) {
            matrix[hdr.h.index][1] = 9;
            hdr.h.bytes[0] = matrix[0][hdr.h.index];
            hdr.h.bytes[1] = matrix[hdr.h.index][hdr.h.index];
            seen[hdr.h.index] = !seen[hdr.h.index];
            hdr.h.bytes[2] = seen[hdr.h.index] ? 8w1 : 0;
            hdr.h.bytes[3] = (bit<8>) hdr.h.bytes.size;
        } else if (hdr.h.operation == 6) {
            bit<8>[4] copy = hdr.h.bytes;
            copy[3] = 7;
            hdr.h.index = copy == hdr.h.bytes ? 8w1 : 0;
            hdr.h.bytes = copy;
        } else if (hdr.h.operation == 7) {
            swap(hdr.h.bytes[hdr.h.index], hdr.h.bytes[3]);
        }
    }

    action change_items() {
        hdr.items[hdr.h.index].byte.setValid();
        hdr.items[hdr.h.index].byte.value = 0x77;
        if (hdr.items[hdr.h.index].byte.isValid() && !hdr.items[hdr.h.index].word.isValid()) {
            hdr.h.bytes[0] = 1;
        }
        item = hdr.items[hdr.h.index];
        hdr.items[2] = item;
        hdr.items[0].byte.setInvalid();
    }

    apply {
        std.egress_spec = 1;
        meta.pairs[0] = { 0, 0 };
        change();
        if (hdr.h.operation == 8) {
            change_items();
        }
    }
}

V1Switch(ParseH(), NoVerify(), Change(), NoEgress(), NoCompute(), EmitAll()) main;
