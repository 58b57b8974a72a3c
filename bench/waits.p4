// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// Sends each packet back by its port; a table and a register are large enough to be long to read.

#include <core.p4>
#include <v1model.p4>

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}
struct headers_t { ethernet_t ethernet; }
struct meta_t { }

parser WaitsParser(packet_in packet, out headers_t headers, inout meta_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(headers.ethernet);
        transition accept;
    }
}

control WaitsVerify(inout headers_t headers, inout meta_t meta) { apply { } }
control WaitsCompute(inout headers_t headers, inout meta_t meta) { apply { } }

control WaitsIngress(inout headers_t headers, inout meta_t meta, inout standard_metadata_t standard) {
    register<bit<64>>(1 << 18) cells;
    action send(bit<9> port) { standard.egress_spec = port; }
    table entries {
        key = { headers.ethernet.dst: exact; }
        actions = { send; NoAction; }
        size = 65536;
        default_action = NoAction();
    }
    apply {
        cells.write((bit<32>) standard.ingress_port, (bit<64>) headers.ethernet.dst);
        standard.egress_spec = standard.ingress_port;
        entries.apply();
    }
}

control WaitsEgress(inout headers_t headers, inout meta_t meta, inout standard_metadata_t standard) { apply { } }
control WaitsDeparser(packet_out packet, in headers_t headers) { apply { packet.emit(headers); } }

V1Switch(WaitsParser(), WaitsVerify(), WaitsIngress(), WaitsEgress(), WaitsCompute(), WaitsDeparser()) main;
