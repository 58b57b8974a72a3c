// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The functions of v1model_extended.p4: times in nanoseconds, the depth of any queue in ingress and egress, the entry
// into the own one.

#include <v1model.p4>
#ifdef __V1MODEL_EXTENDED__
#include <v1model_extended.p4>
#endif

header h_t {
    bit<8> port;
    bit<8> queue;
    // The packets and bytes in port and queue when ingress asks, and when egress does.
    bit<32> pkts;
    bit<32> bytes;
    bit<32> left_pkts;
    bit<16> left_bytes;
    // The depth at the entry.
    bit<8> found_pkts;
    bit<32> found_bytes;
    // Nanoseconds since the parser saw it: ingress, entry, egress.
    bit<32> ingress;
    bit<32> entry;
    bit<32> egress;
}

struct headers_t {
    h_t h;
}

struct metadata_t {
    bit<64> parsed;
}

parser ParseH(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        time_ns(meta.parsed);
        transition accept;
    }
}

control Before(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    bit<64> now;

    action look(bit<9> port) {
        queue_depth(port, hdr.h.queue[2:0], hdr.h.pkts, hdr.h.bytes);
    }

    apply {
        std.egress_spec = 1;
        look((bit<9>) hdr.h.port);
        time_ns(now);
        hdr.h.ingress = (bit<32>) (now - meta.parsed);
    }
}

control After(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    bit<64> now;
    bit<64> entry;
    bit<32> pkts;
    bit<64> depth = 0;

    apply {
        enqueued(entry, pkts, hdr.h.found_bytes);
        hdr.h.found_pkts = pkts[7:0];
        // One result is bits of a variable, the other nothing.
        queue_depth((bit<9>) hdr.h.port, hdr.h.queue[2:0], hdr.h.left_pkts, depth[47:16]);
        hdr.h.left_bytes = depth[31:16];
        queue_depth((bit<9>) hdr.h.port, hdr.h.queue[2:0], _, _);
        time_ns(now);
        hdr.h.entry = (bit<32>) (entry - meta.parsed);
        hdr.h.egress = (bit<32>) (now - meta.parsed);
    }
}

#include "../include/stages.p4"

V1Switch(ParseH(), NoVerify(), Before(), After(), NoCompute(), EmitAll()) main;
