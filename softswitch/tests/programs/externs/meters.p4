// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Meters of packets and bytes, of one table's entries too: green within the committed burst, yellow within the peak's, then red.

#include <v1model.p4>

header h_t {
    bit<8> index;
    bit<8> by_packets;
    bit<8> by_bytes;
    bit<8> direct;
}

#include "../include/one_header.p4"

control Police(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    meter(4, MeterType.packets) packet_meter;
    meter(2, MeterType.bytes) byte_meter;
    direct_meter<bit<2>>(MeterType.bytes) entry_meter;
    bit<2> colour = 3;

    action read_colour() {
        entry_meter.read(colour);
    }
    table metered {
        key = { hdr.h.index: exact; }
        actions = { read_colour; NoAction; }
        default_action = NoAction();
        meters = entry_meter;
    }

    apply {
        std.egress_spec = 1;
        packet_meter.execute_meter((bit<32>) hdr.h.index, hdr.h.by_packets);
        byte_meter.execute_meter(0, hdr.h.by_bytes);
        metered.apply();
        hdr.h.direct = (bit<8>) colour;
    }
}

V1Switch(ParseH(), NoVerify(), Police(), NoEgress(), NoCompute(), EmitAll()) main;
