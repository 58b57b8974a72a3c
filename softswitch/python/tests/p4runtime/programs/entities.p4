// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
//
// One of everything that P4Runtime can write or read. A packet-out to port 0 takes the way of other packets, so that
// tests need no interfaces.

#include <core.p4>
#include <v1model.p4>

const bit<32> COPY_TO_CPU = 7;

@controller_header("packet_in")
header packet_in_t {
    bit<9> ingress_port;
    bit<3> reason;
    @padding bit<4> unused;
}

@controller_header("packet_out")
header packet_out_t {
    bit<9> egress_port;
    @padding bit<7> unused;
}

header ethernet_t {
    bit<48> destination;
    bit<48> source;
    bit<16> type;
}

header ipv4_t {
    bit<8>  version_ihl;
    bit<8>  tos;
    bit<16> length;
    bit<32> rest1;
    bit<8>  ttl;
    bit<8>  protocol;
    bit<16> checksum;
    bit<32> source;
    bit<32> destination;
}

struct headers_t {
    packet_in_t  packet_in;
    packet_out_t packet_out;
    ethernet_t   ethernet;
    ipv4_t       ipv4;
}

struct learned_t {
    bit<48> source;
    bit<9>  port;
}

struct metadata_t {
    bit<2>  colour;
    bit<16> hash;
}

parser EntitiesParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    @id(0x03000011) value_set<bit<16>>(4) ip_types;

    state start {
        transition select(std.ingress_port) {
            510: parse_packet_out;
            default: parse_ethernet;
        }
    }
    state parse_packet_out {
        packet.extract(hdr.packet_out);
        transition parse_ethernet;
    }
    state parse_ethernet {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            0x0800: parse_ipv4;
            ip_types: parse_ipv4;
            default: accept;
        }
    }
    state parse_ipv4 {
        packet.extract(hdr.ipv4);
        transition accept;
    }
}

control EntitiesVerify(inout headers_t hdr, inout metadata_t meta) { apply { } }

control EntitiesIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    direct_counter(CounterType.packets_and_bytes) exact_counter;
    direct_meter<bit<2>>(MeterType.packets) exact_meter;
    counter(8, CounterType.packets_and_bytes) port_counter;
    meter(4, MeterType.bytes) port_meter;
    register<bit<20>>(8) averages;
    action_selector(HashAlgorithm.crc16, 16, 16) choices;

    action drop() { mark_to_drop(std); }
    action forward(bit<9> port) { std.egress_spec = port; }
    action forward_metered(bit<9> port) {
        exact_counter.count();
        exact_meter.read(meta.colour);
        std.egress_spec = port;
    }
    action multicast(bit<16> group) { std.mcast_grp = group; }
    action copy_to_cpu() { clone(CloneType.I2E, COPY_TO_CPU); }
    action to_cpu() { std.egress_spec = 510; }

    table exact_table {
        key = { hdr.ethernet.destination: exact; }
        actions = { forward_metered; @defaultonly drop; @tableonly forward; }
        default_action = drop;
        counters = exact_counter;
        meters = exact_meter;
        size = 16;
    }
    table lpm_table {
        key = { hdr.ipv4.destination: lpm; }
        actions = { forward; multicast; drop; NoAction; }
        default_action = NoAction;
        size = 64;
    }
    table ternary_table {
        key = {
            hdr.ipv4.source: ternary;
            hdr.ipv4.protocol: optional;
            hdr.ipv4.ttl: range;
            std.ingress_port: exact;
        }
        actions = { drop; copy_to_cpu; to_cpu; NoAction; }
        const default_action = NoAction;
        size = 8;
    }
    table idle_table {
        key = { hdr.ethernet.source: exact; }
        actions = { NoAction; }
        default_action = NoAction;
        support_timeout = true;
        size = 8;
    }
    table const_table {
        key = { hdr.ethernet.type: exact; }
        actions = { drop; NoAction; }
        default_action = NoAction;
        const entries = { 0xdead: drop(); }
    }
    table initial_table {
        key = { hdr.ethernet.type: exact; }
        actions = { drop; NoAction; }
        default_action = NoAction;
        entries = { const 0xdea1: drop(); 0xdea2: drop(); }
    }
    table selected_table {
        key = {
            hdr.ethernet.type: exact;
            hdr.ethernet.source: selector;
        }
        actions = { forward; NoAction; }
        implementation = choices;
        size = 8;
    }
    table keyless_table {
        actions = { NoAction; drop; }
        default_action = NoAction;
    }

    apply {
        bit<9> direct_port = 0;
        if (hdr.packet_out.isValid()) {
            direct_port = hdr.packet_out.egress_port;
            hdr.packet_out.setInvalid();
        }
        if (direct_port != 0) {
            std.egress_spec = direct_port;
        } else {
            exact_table.apply();
            port_counter.count(2);
            port_meter.execute_meter(2, meta.colour);
            averages.write(0, (bit<20>) std.packet_length);
            if (hdr.ipv4.isValid()) {
                lpm_table.apply();
                ternary_table.apply();
            }
            if (!idle_table.apply().hit) {
                digest<learned_t>(1, { hdr.ethernet.source, std.ingress_port });
            }
            const_table.apply();
            initial_table.apply();
            selected_table.apply();
            keyless_table.apply();
        }
    }
}

control EntitiesEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        if (std.egress_port == 510) {
            hdr.packet_in.setValid();
            hdr.packet_in.ingress_port = std.ingress_port;
            hdr.packet_in.reason = (bit<3>) std.instance_type;
            hdr.packet_in.unused = 0;
        }
    }
}

control EntitiesUpdate(inout headers_t hdr, inout metadata_t meta) { apply { } }

control EntitiesDeparser(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

V1Switch(EntitiesParser(), EntitiesVerify(), EntitiesIngress(), EntitiesEgress(), EntitiesUpdate(), EntitiesDeparser()) main;
