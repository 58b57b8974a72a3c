// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// v1model of 2020: counters, meters and registers with the type of their index, ports of the type PortId_t.

#define V1MODEL_VERSION 20200408
#include <v1model.p4>

enum bit<4> Slot {
    First = 1,
    Second = 2
}

header h_t {
    bit<8> add;
    bit<8> first;
    bit<8> second;
    bit<8> colour;
}

#include "../include/one_header.p4"

control Remember(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    register<bit<8>, bit<4>>(16) slots;
    counter<PortId_t>(512, CounterType.packets) per_port;
    meter<bit<1>>(2, MeterType.packets) limit;
    PortId_t out_port = 1;

    action add(in Slot slot, out bit<8> result) {
        slots.read(result, (bit<4>) slot);
        result = result + hdr.h.add;
        slots.write((bit<4>) slot, result);
    }

    apply {
        std.egress_spec = out_port;
        per_port.count(std.ingress_port);
        limit.execute_meter<bit<8>>(1, hdr.h.colour);
        add(Slot.First, hdr.h.first);
        if (hdr.h.add > 4) {
            add(Slot.Second, hdr.h.second);
        }
    }
}

V1Switch(ParseH(), NoVerify(), Remember(), NoEgress(), NoCompute(), EmitAll()) main;
