// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Indirect and direct counters of packets, bytes and both. BMv2's runner skips check_counter; the embedded one reads it.

#include <v1model.p4>

header h_t {
    bit<8> key;
    bit<8> index;
}

#include "../include/one_header.p4"

control Count(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    counter(4, CounterType.packets_and_bytes) total;
    @name("only_packets")
    counter(4, CounterType.packets) packets_seen;
    counter(4, CounterType.bytes) octets_seen;
    direct_counter(CounterType.packets_and_bytes) per_entry;
    direct_counter(CounterType.packets) per_drop;

    action forward(bit<9> port) {
        std.egress_spec = port;
    }
    action forward_and_count(bit<9> port) {
        per_entry.count();
        std.egress_spec = port;
    }
    table ports {
        key = { hdr.h.key: exact; }
        actions = { forward; forward_and_count; @defaultonly NoAction; }
        default_action = NoAction();
        counters = per_entry;
    }

    action drop() {
        mark_to_drop(std);
    }
    table drops {
        key = { hdr.h.index: ternary; }
        actions = { drop; NoAction; }
        default_action = NoAction();
        counters = per_drop;
    }

    apply {
        total.count((bit<32>) hdr.h.index);
        if (hdr.h.key == 2) {
            packets_seen.count(1);
            octets_seen.count((bit<32>) std.ingress_port);
        }
        ports.apply();
        drops.apply();
    }
}

V1Switch(ParseH(), NoVerify(), Count(), NoEgress(), NoCompute(), EmitAll()) main;
