// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
//
// Gives every command of the test format something to act on. A packet is one header: what to do, and four bytes.

#include <core.p4>
#include <v1model.p4>

header order_t {
    bit<8>  kind;
    bit<16> key;
    bit<8>  value;
}

struct headers_t {
    order_t    order;
    order_t[2] more;
}

struct metadata_t { bit<2> colour; }

parser CommandsParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.order);
        transition select(hdr.order.kind) {
            0xff: stacked;
            default: accept;
        }
    }
    state stacked {
        packet.extract(hdr.more.next);
        transition accept;
    }
}

control CommandsVerify(inout headers_t hdr, inout metadata_t meta) { apply { } }

control CommandsIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    counter(16, CounterType.packets_and_bytes) totals;
    direct_counter(CounterType.packets) hits;
    register<bit<16>>(4) cells;
    meter(2, MeterType.packets) speed;

    action set_value(bit<8> value, bit<9> port) {
        hdr.order.value = value;
        std.egress_spec = port;
    }
    action send(bit<9> port) { std.egress_spec = port; }
    action replicate(bit<16> group) { std.mcast_grp = group; }
    action mirror(bit<32> session, bit<9> port) {
        clone(CloneType.I2E, session);
        std.egress_spec = port;
    }
    action drop() { mark_to_drop(std); }

    table exact_t {
        key = { hdr.order.key: exact; }
        actions = { set_value; send; replicate; mirror; drop; }
        default_action = drop;
        counters = hits;
    }
    table ternary_t {
        key = { hdr.order.key: ternary; }
        actions = { set_value; drop; }
        default_action = drop;
    }
    table lpm_t {
        key = { hdr.order.key: lpm; }
        actions = { set_value; drop; }
        default_action = drop;
    }
    table range_t {
        key = { hdr.order.value: range; hdr.more[0].isValid(): exact; }
        actions = { set_value; drop; }
        default_action = drop;
    }

    apply {
        if (hdr.order.kind == 1) {
            exact_t.apply();
        } else if (hdr.order.kind == 2) {
            ternary_t.apply();
        } else if (hdr.order.kind == 3) {
            lpm_t.apply();
        } else if (hdr.order.kind == 4 || hdr.order.kind == 0xff) {
            range_t.apply();
        } else if (hdr.order.kind == 5) {
            bit<16> cell;
            cells.read(cell, (bit<32>) hdr.order.value);
            hdr.order.key = cell;
            cells.write((bit<32>) hdr.order.value, cell + 1);
            std.egress_spec = 1;
        } else if (hdr.order.kind == 6) {
            speed.execute_meter((bit<32>) 1, meta.colour);
            hdr.order.value = (bit<8>) meta.colour;
            std.egress_spec = 1;
        } else {
            drop();
        }
        totals.count((bit<32>) hdr.order.kind);
    }
}

control CommandsEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        if (std.egress_rid != 0) {
            hdr.order.value = (bit<8>) std.egress_rid;
        }
    }
}

control CommandsUpdate(inout headers_t hdr, inout metadata_t meta) { apply { } }

control CommandsDeparser(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

V1Switch(CommandsParser(), CommandsVerify(), CommandsIngress(), CommandsEgress(), CommandsUpdate(), CommandsDeparser())
main;
