// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Sends everything to port 2, into the queue that the packet names, and writes the depths that it met.

#include <core.p4>
#include <v1model.p4>

header label_t {
    bit<16> queue;
    bit<32> enq_qdepth;
    bit<32> deq_qdepth;
}

struct headers {
    label_t label;
}

struct metadata { }

parser MyParser(packet_in packet, out headers hdr, inout metadata meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.label);
        transition accept;
    }
}

control MyVerifyChecksum(inout headers hdr, inout metadata meta) {
    apply {}
}

control MyIngress(inout headers hdr, inout metadata meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 2;
        std.priority = (bit<3>) hdr.label.queue;
    }
}

control MyEgress(inout headers hdr, inout metadata meta, inout standard_metadata_t std) {
    apply {
        hdr.label.enq_qdepth = (bit<32>) std.enq_qdepth;
        hdr.label.deq_qdepth = (bit<32>) std.deq_qdepth;
    }
}

control MyComputeChecksum(inout headers hdr, inout metadata meta) {
    apply {}
}

control MyDeparser(packet_out packet, in headers hdr) {
    apply {
        packet.emit(hdr.label);
    }
}

V1Switch(MyParser(), MyVerifyChecksum(), MyIngress(), MyEgress(), MyComputeChecksum(), MyDeparser()) main;
