// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Functions that call each other, return early from nested branches, and return structs.

#include <v1model.p4>

header h_t {
    bit<8> in_value;
    bit<8> class;
    bit<8> larger;
    bit<8> clamped;
    bit<8> bits_set;
    bit<8> low;
    bit<8> high;
}

struct bounds_t {
    bit<8> low;
    bit<8> high;
}

bit<8> classify(in bit<8> value) {
    if (value < 16) {
        if (value == 0) {
            return 0;
        }
        return 1;
    } else if (value < 128) {
        return 2;
    }
    bit<8> result = 3;
    if (value == 255) {
        return result + 1;
    }
    return result;
}

bit<8> max(in bit<8> left, in bit<8> right) {
    return left > right ? left : right;
}

bit<8> min(in bit<8> left, in bit<8> right) {
    if (left < right) return left;
    return right;
}

bit<8> clamp(in bit<8> value, in bounds_t bounds) {
    return min(max(value, bounds.low), bounds.high);
}

bit<8> bits_set(in bit<8> value) {
    bit<8> pairs = (value & 0x55) + ((value >> 1) & 0x55);
    bit<8> quads = (pairs & 0x33) + ((pairs >> 2) & 0x33);
    return (quads & 0x0F) + (quads >> 4);
}

bounds_t around(in bit<8> value) {
    return { low = value |-| 10, high = value |+| 10 };
}

#include "../include/one_header.p4"

control Compute(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 1;
        bit<8> v = hdr.h.in_value;
        hdr.h.class = classify(v);
        hdr.h.larger = max(v, 100);
        hdr.h.clamped = clamp(v, { 20, 40 });
        hdr.h.bits_set = bits_set(v);
        bounds_t bounds = around(v);
        hdr.h.low = bounds.low;
        hdr.h.high = around(v).high;
    }
}

V1Switch(ParseH(), NoVerify(), Compute(), NoEgress(), NoCompute(), EmitAll()) main;
