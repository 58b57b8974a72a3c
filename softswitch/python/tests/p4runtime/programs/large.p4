// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// A table, a register and a profile with more room than any client may fill.
#include <core.p4>
#include <v1model.p4>

@controller_header("packet_in")
header packet_in_t { bit<16> port; }
@controller_header("packet_out")
header packet_out_t { bit<16> port; }
header data_t { bit<32> value; }
struct headers_t { packet_in_t packet_in; packet_out_t packet_out; data_t data; }
struct learned_t { bit<32> value; }
struct meta_t { learned_t learned; }

parser LargeParser(packet_in packet, out headers_t headers, inout meta_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(headers.packet_out);
        packet.extract(headers.data);
        transition accept;
    }
}

control LargeVerify(inout headers_t headers, inout meta_t meta) { apply {} }

control LargeIngress(inout headers_t headers, inout meta_t meta, inout standard_metadata_t standard) {
    register<bit<64>>(1048576) cells;
    action_profile(1048576) profile;
    action send(bit<9> port) { standard.egress_spec = port; }
    table entries {
        key = { headers.data.value: exact; }
        actions = { send; NoAction; }
        size = 1048576;
        default_action = NoAction();
        support_timeout = true;
    }
    table members {
        key = { headers.data.value: exact; }
        actions = { send; NoAction; }
        implementation = profile;
        size = 16;
    }
    apply {
        cells.write(headers.data.value, 1);
        entries.apply();
        members.apply();
        meta.learned.value = headers.data.value;
        digest<learned_t>(1, meta.learned);
        standard.egress_spec = 510;
        headers.packet_in.setValid();
        headers.packet_in.port = 0;
        headers.packet_out.setInvalid();
    }
}

control LargeEgress(inout headers_t headers, inout meta_t meta, inout standard_metadata_t standard) { apply {} }
control LargeCompute(inout headers_t headers, inout meta_t meta) { apply {} }

control LargeDeparser(packet_out packet, in headers_t headers) {
    apply { packet.emit(headers); }
}

V1Switch(LargeParser(), LargeVerify(), LargeIngress(), LargeEgress(), LargeCompute(), LargeDeparser()) main;
