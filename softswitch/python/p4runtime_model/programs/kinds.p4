// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
//
// Kinds of objects that the other programs lack: cells of every type, a selector with an action for the default entry only,
// tables of one selector with other actions each, direct resources of overlapping and of constant entries, nested
// digests, value sets of several fields, translated types, and packets that go to the controller.

#include <core.p4>
#include <v1model.p4>

@p4runtime_translation("p4.org/psa/v1/PortId_t", 32)
type bit<9> Port_t;
@p4runtime_translation("example.org/Name_t", 24)
type bit<40> Name_t;

@controller_header("packet_in")
header packet_in_t {
    bit<9> ingress_port;
    bit<7> reason;
}

@controller_header("packet_out")
header packet_out_t {
    bit<32> mark;
    bit<3>  kind;
    Port_t  port;
    @padding bit<4> unused;
}

enum bit<6> Colour { red = 1, green = 2, blue = 33 }

header h_t {
    bit<48>  a;
    bit<16>  b;
    bit<8>   c;
    bit<128> d;
    bit<1>   e;
    bit<7>   f;
    Name_t   name;
    bit<7>   rest;
    Port_t   port;
}

struct headers_t {
    packet_in_t  packet_in;
    packet_out_t packet_out;
    h_t          h;
}

struct pair_t {
    bit<48> a;
    bit<16> b;
}

struct learned_t {
    pair_t  pair;
    bit<9>  port;
}

struct listed_t {
    @match(ternary) bit<16> b;
    @match(range)   bit<8>  c;
}

struct metadata_t {
    bit<2> colour;
}

parser KindsParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    value_set<listed_t>(6) listed;

    state start {
        transition select(std.ingress_port) {
            510: parse_packet_out;
            default: parse_h;
        }
    }
    state parse_packet_out {
        packet.extract(hdr.packet_out);
        transition parse_h;
    }
    state parse_h {
        packet.extract(hdr.h);
        transition select(hdr.h.b, hdr.h.c) {
            listed: reject;
            default: accept;
        }
    }
}

control KindsVerify(inout headers_t hdr, inout metadata_t meta) { apply { } }

control KindsIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    register<int<13>>(5) signed_cells;
    register<bool>(3) flags;
    register<Colour>(4) colours;
    register<bit<100>>(2) wide_cells;
    direct_counter(CounterType.bytes) overlapping_counter;
    direct_meter<bit<2>>(MeterType.bytes) overlapping_meter;
    direct_counter(CounterType.packets) constant_counter;
    action_selector(HashAlgorithm.crc32, 12, 16) shared;

    action name(Port_t port, Name_t name) { hdr.h.port = port; hdr.h.name = name; }
    action drop() { mark_to_drop(std); }
    action forward(bit<9> port, bit<128> d) { std.egress_spec = port; hdr.h.d = d; }
    action to_cpu(bit<7> reason) { std.egress_spec = 510; hdr.h.f = reason; }
    action metered(bit<9> port) { overlapping_meter.read(meta.colour); std.egress_spec = port; }
    action learn() { digest<learned_t>(1, { { hdr.h.a, hdr.h.b }, std.ingress_port }); }

    table overlapping {
        key = {
            hdr.h.a: ternary;
            hdr.h.b: range;
            hdr.h.c: optional;
            hdr.h.d: lpm;
            hdr.h.e: exact;
        }
        actions = { drop; forward; metered; @defaultonly to_cpu; @tableonly learn; }
        default_action = to_cpu(1);
        counters = overlapping_counter;
        meters = overlapping_meter;
        support_timeout = true;
        size = 12;
    }
    table constant {
        key = { hdr.h.b: ternary; hdr.h.c: exact; }
        actions = { drop; learn; NoAction; }
        const default_action = NoAction;
        counters = constant_counter;
        const entries = {
            (0x1200 &&& 0xff00, 7): learn();
            (_, 7): drop();
        }
    }
    table named {
        key = { hdr.h.port: exact; hdr.h.name: optional; }
        actions = { name; NoAction; }
        default_action = NoAction;
        size = 6;
    }
    table first {
        key = { hdr.h.b: exact; hdr.h.a: selector; }
        actions = { forward; drop; @defaultonly NoAction; }
        default_action = NoAction;
        implementation = shared;
        size = 5;
    }
    table second {
        key = { hdr.h.c: lpm; hdr.h.a: selector; }
        actions = { forward; drop; @defaultonly NoAction; }
        default_action = NoAction;
        implementation = shared;
        size = 5;
    }

    apply {
        overlapping.apply();
        constant.apply();
        named.apply();
        first.apply();
        second.apply();
        signed_cells.write(1, -5);
        flags.write(0, true);
        colours.write(2, Colour.blue);
        wide_cells.write(0, 1);
        learn();
    }
}

control KindsEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        hdr.packet_out.setInvalid();
        if (std.egress_port == 510) {
            hdr.packet_in.setValid();
            hdr.packet_in.ingress_port = std.ingress_port;
            hdr.packet_in.reason = hdr.h.f;
        }
    }
}

control KindsUpdate(inout headers_t hdr, inout metadata_t meta) { apply { } }

control KindsDeparser(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

V1Switch(KindsParser(), KindsVerify(), KindsIngress(), KindsEgress(), KindsUpdate(), KindsDeparser()) main;
