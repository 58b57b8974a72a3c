// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// Objects with room for many entries.

#include <core.p4>
#include <v1model.p4>

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}
struct headers { ethernet_t ethernet; }
struct metadata { }

parser MyParser(packet_in packet, out headers hdr, inout metadata meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.ethernet);
        transition accept;
    }
}

control MyVerify(inout headers hdr, inout metadata meta) { apply { } }
control MyCompute(inout headers hdr, inout metadata meta) { apply { } }

control MyIngress(inout headers hdr, inout metadata meta, inout standard_metadata_t std) {
    register<bit<32>>(1000) cells;
    register<bit<64>>(1 << 18) large;
    counter(1000, CounterType.packets) seen;
    action_selector(HashAlgorithm.crc16, 4096, 14) paths;

    action send(bit<9> port) {
        std.egress_spec = port;
    }
    table prefixes {
        key = { hdr.ethernet.dst: lpm; }
        actions = { send; }
        size = 4096;
    }
    table spread {
        key = {
            hdr.ethernet.type: exact;
            hdr.ethernet.src: selector;
        }
        actions = { send; }
        implementation = paths;
    }
    apply {
        prefixes.apply();
        spread.apply();
        seen.count((bit<32>) std.ingress_port);
        cells.write((bit<32>) std.ingress_port, std.packet_length);
        large.write((bit<32>) std.ingress_port, (bit<64>) hdr.ethernet.dst);
    }
}

control MyEgress(inout headers hdr, inout metadata meta, inout standard_metadata_t std) { apply { } }
control MyDeparser(packet_out packet, in headers hdr) { apply { packet.emit(hdr.ethernet); } }

V1Switch(MyParser(), MyVerify(), MyIngress(), MyEgress(), MyCompute(), MyDeparser()) main;
