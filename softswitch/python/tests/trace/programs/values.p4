// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Every kind of value that a trace shows: unions, stacks, fields of variable length, counters, meters.

#include <v1model.p4>

header kind_t {
    bit<8> kind;
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

header options_t {
    bit<8> tag;
    varbit<64> data;
}

struct headers_t {
    kind_t kind;
    number_t first;
    number_t second;
    short_t[3] stack;
    short_t[3] other;
    options_t options;
    options_t copy;
}

struct metadata_t {
    bit<8> colour;
    bit<8> direct_colour;
}

parser Parse(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.kind);
        packet.extract(hdr.first.l);
        packet.extract(hdr.stack.next);
        packet.extract(hdr.stack.next);
        packet.advance(8);
        packet.extract(hdr.options, (bit<32>) hdr.kind.kind);
        transition accept;
    }
}

control NoVerify(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control Change(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    counter(4, CounterType.packets_and_bytes) counted;
    meter(4, MeterType.packets) metered;
    direct_counter(CounterType.packets_and_bytes) rows;
    direct_meter<bit<8>>(MeterType.packets) row_meter;

    action note() {
        rows.count();
        row_meter.read(meta.direct_colour);
    }

    table look {
        key = { hdr.kind.kind : exact; }
        actions = { note; NoAction; }
        counters = rows;
        meters = row_meter;
    }

    apply {
        std.egress_spec = 1;
        look.apply();
        hdr.second = hdr.first;
        hdr.stack.push_front(1);
        hdr.other = hdr.stack;
        hdr.stack.pop_front(2);
        hdr.copy = hdr.options;
        counted.count(3);
        counted.count((bit<32>) hdr.kind.kind);
        metered.execute_meter(2, meta.colour);
    }
}

control NoChange(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {}
}

control NoCompute(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control Emit(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(Parse(), NoVerify(), Change(), NoChange(), NoCompute(), Emit()) main;
