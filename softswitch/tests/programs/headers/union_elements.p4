// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Elements of a stack of unions at indices that are known only at run time.

#include <v1model.p4>

header request_t {
    bit<8> operation;
    bit<8> to;
    bit<8> from;
    bit<8> result;
}

header short_t {
    bit<8> value;
}

header long_t {
    bit<16> value;
}

header_union number_t {
    short_t s;
    long_t l;
}

struct headers_t {
    request_t request;
    number_t[3] numbers;
}

struct metadata_t {}

parser ParseNumbers(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.request);
        packet.extract(hdr.numbers.next.s);
        packet.extract(hdr.numbers.next.l);
        packet.extract(hdr.numbers.next.s);
        transition accept;
    }
}

#include "../include/stages.p4"

control Change(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 1;
        bit<8> to = hdr.request.to;
        bit<8> from = hdr.request.from;
        number_t number;
        if (hdr.request.operation == 1) {
            hdr.numbers[to] = hdr.numbers[from];
        } else if (hdr.request.operation == 2) {
            number.l = { 0x7777 };
            hdr.numbers[to] = number;
        } else if (hdr.request.operation == 3) {
            hdr.numbers[to] = (number_t) {#};
        } else if (hdr.request.operation == 4) {
            number = hdr.numbers[from];
            hdr.request.result = number.s.isValid() ? number.s.value : 8w0xFF;
        } else if (hdr.request.operation == 5) {
            hdr.numbers[to].l = { 0x1234 };
        } else if (hdr.request.operation == 6) {
            hdr.request.result = hdr.numbers[to] == hdr.numbers[from] ? 8w1 : 0;
        } else if (hdr.request.operation == 7) {
            number_t[3] copy = hdr.numbers;
            copy[to] = copy[from];
            hdr.numbers = copy;
        }
    }
}

V1Switch(ParseNumbers(), NoVerify(), Change(), NoEgress(), NoCompute(), EmitAll()) main;
