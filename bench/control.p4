// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// Sends each packet back by its port; its type says which table it is looked up in before.

#include <core.p4>
#include <v1model.p4>

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}
struct headers_t { ethernet_t ethernet; }
struct meta_t { }

parser ControlParser(packet_in packet, out headers_t headers, inout meta_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(headers.ethernet);
        transition accept;
    }
}

control ControlVerify(inout headers_t headers, inout meta_t meta) { apply { } }
control ControlCompute(inout headers_t headers, inout meta_t meta) { apply { } }

control ControlIngress(inout headers_t headers, inout meta_t meta, inout standard_metadata_t standard) {
    action_selector(HashAlgorithm.crc16, 2097152, 16) choices;
    action mark(bit<16> value) { headers.ethernet.src = (bit<48>) value; }
    table by_value {
        key = { headers.ethernet.dst: exact; }
        actions = { mark; NoAction; }
        size = 2097152;
        default_action = NoAction();
    }
    table by_prefix {
        key = { headers.ethernet.dst: lpm; }
        actions = { mark; NoAction; }
        size = 2097152;
        default_action = NoAction();
    }
    table by_mask {
        key = { headers.ethernet.dst: ternary; headers.ethernet.type: ternary; }
        actions = { mark; NoAction; }
        size = 2097152;
        default_action = NoAction();
    }
    table by_choice {
        key = { headers.ethernet.dst: exact; headers.ethernet.src: selector; }
        actions = { mark; NoAction; }
        size = 2097152;
        implementation = choices;
    }
    apply {
        standard.egress_spec = standard.ingress_port;
        if (headers.ethernet.type == 0x88B5) {
            by_value.apply();
        } else if (headers.ethernet.type == 0x88B6) {
            by_prefix.apply();
        } else if (headers.ethernet.type == 0x88B7) {
            by_mask.apply();
        } else {
            by_choice.apply();
        }
    }
}

control ControlEgress(inout headers_t headers, inout meta_t meta, inout standard_metadata_t standard) { apply { } }
control ControlDeparser(packet_out packet, in headers_t headers) { apply { packet.emit(headers); } }

V1Switch(ControlParser(), ControlVerify(), ControlIngress(), ControlEgress(), ControlCompute(), ControlDeparser()) main;
