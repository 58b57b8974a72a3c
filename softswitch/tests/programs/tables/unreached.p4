// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A table behind `exit` never runs: neither its entries' objects nor its actions stop the program from loading.

#include <v1model.p4>

header h_t {
    bit<8> key;
    bit<8> colour;
}

#include "../include/one_header.p4"

control Leave(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    direct_counter(CounterType.packets) count;
    direct_meter<bit<8>>(MeterType.bytes) police;

    action mark() {
        police.read(hdr.h.colour);
    }
    action tally() {
        count.count();
    }
    table metered {
        key = { hdr.h.key: exact; }
        actions = { mark; }
        meters = police;
    }
    table counted {
        key = { hdr.h.key: exact; }
        actions = { tally; }
        counters = count;
    }

    apply {
        std.egress_spec = 1;
        exit;
        metered.apply();
        counted.apply();
    }
}

V1Switch(ParseH(), NoVerify(), Leave(), NoEgress(), NoCompute(), EmitAll()) main;
