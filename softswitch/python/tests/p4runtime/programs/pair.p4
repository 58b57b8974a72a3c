// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Two tables whose entries are changed together. Each packet goes to the CPU and shows what both tables said.

#include <core.p4>
#include <v1model.p4>

header values_t {
    bit<32> first;
    bit<32> second;
}

struct headers_t {
    values_t values;
}

struct metadata_t {}

parser PairParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.values);
        transition accept;
    }
}

control PairVerify(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control PairIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    action say_first(bit<32> value) {
        hdr.values.first = value;
    }
    action say_second(bit<32> value) {
        hdr.values.second = value;
    }
    table first {
        key = { std.ingress_port: exact; }
        actions = { say_first; }
    }
    table second {
        key = { std.ingress_port: exact; }
        actions = { say_second; }
    }
    table between {
        key = { hdr.values.first: exact; }
        actions = { NoAction; }
        size = 4096;
    }
    apply {
        first.apply();
        between.apply();
        second.apply();
        std.egress_spec = 510;
    }
}

control PairEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {}
}

control PairCompute(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control PairDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.values);
    }
}

V1Switch(PairParser(), PairVerify(), PairIngress(), PairEgress(), PairCompute(), PairDeparser()) main;
