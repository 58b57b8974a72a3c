// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Generic structs, headers and functions; type arguments written out and inferred.

#include <v1model.p4>

struct pair_t<A, B> {
    A first;
    B second;
}

header box_t<T> {
    T value;
    bit<8> tag;
}

T choose<T>(in bool which, in T yes, in T no) {
    if (which) {
        return yes;
    }
    return no;
}

void swap<T>(inout T a, inout T b) {
    T tmp = a;
    a = b;
    b = tmp;
}

pair_t<B, A> flip<A, B>(in pair_t<A, B> pair) {
    return { first = pair.second, second = pair.first };
}

struct headers_t {
    box_t<bit<16>> narrow;
    box_t<bit<32>> wide;
    box_t<bit<16>> other;
}

struct option_t<T> {
    bool present;
    T value;
}

struct metadata_t {
    option_t<pair_t<bit<8>, bit<16>>> nested;
}

parser ParseBoxes(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract<box_t<bit<16>>>(hdr.narrow);
        packet.extract(hdr.wide);
        packet.extract(hdr.other);
        transition accept;
    }
}

#include "../include/stages.p4"

control Compute(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 1;
        swap(hdr.narrow.value, hdr.other.value);
        swap<bit<8>>(hdr.narrow.tag, hdr.wide.tag);

        pair_t<bit<16>, bit<8>> pair = { hdr.narrow.value, 0x42 };
        pair_t<bit<8>, bit<16>> flipped = flip(pair);
        meta.nested = { true, flipped };

        hdr.wide.value = choose(meta.nested.present,
                                (bit<32>) meta.nested.value.second,
                                hdr.wide.value);
        hdr.other.tag = choose<bit<8>>(hdr.other.tag == 0, meta.nested.value.first, 1);
    }
}

V1Switch(ParseBoxes(), NoVerify(), Compute(), NoEgress(), NoCompute(), EmitAll()) main;
