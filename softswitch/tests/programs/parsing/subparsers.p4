// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Sub-parsers: nested, with constructor parameters, one instance applied twice, and applied without an instance.

#include <v1model.p4>

header octet_t {
    bit<8> value;
}

header sum_t {
    bit<8> sum;
    bit<8> pairs;
}

struct headers_t {
    octet_t a;
    octet_t b;
    octet_t c;
    octet_t d;
    octet_t e;
    octet_t f;
    octet_t marker;
    sum_t sum;
}

struct metadata_t {
    bit<8> sum;
    bit<8> pairs;
}

parser ReadOctet(packet_in packet, out octet_t octet, inout bit<8> sum)(bit<8> weight) {
    state start {
        packet.extract(octet);
        sum = sum + (octet.value << weight);
        transition accept;
    }
}

parser ReadPair(packet_in packet, out octet_t left, out octet_t right,
                inout bit<8> sum, inout bit<8> pairs) {
    ReadOctet(1) doubled;
    ReadOctet(2) fourfold;
    bit<8> here = 0;

    state start {
        doubled.apply(packet, left, here);
        transition select(left.value) {
            0: accept;
            default: more;
        }
    }

    state more {
        fourfold.apply(packet, right, here);
        pairs = pairs + 1;
        sum = sum + here;
        transition accept;
    }
}

parser SkipMarker(packet_in packet, out octet_t marker) {
    state start {
        transition select(packet.lookahead<bit<8>>()) {
            0xFF: take;
            _: accept;
        }
    }

    state take {
        packet.extract(marker);
        transition accept;
    }
}

parser ParseAll(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    ReadOctet(weight = 0) plain;
    ReadPair() pair;

    state start {
        meta.sum = 0;
        meta.pairs = 0;
        plain.apply(packet, hdr.a, meta.sum);
        plain.apply(packet, hdr.b, meta.sum);
        pair.apply(packet, hdr.c, hdr.d, meta.sum, meta.pairs);
        pair.apply(packet, hdr.e, hdr.f, meta.sum, meta.pairs);
        SkipMarker.apply(packet, hdr.marker);
        packet.extract(hdr.sum);
        transition accept;
    }
}

#include "../include/stages.p4"

control Report(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 1;
        hdr.sum = { meta.sum, meta.pairs };
    }
}

V1Switch(ParseAll(), NoVerify(), Report(), NoEgress(), NoCompute(), EmitAll()) main;
