// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// `next` of a stack in places other than `extract`: it does not move, and does not lead behind the stack.

#include <v1model.p4>

header command_t {
    bit<8> operation;
}

header hop_t {
    bit<8> value;
}

struct headers_t {
    command_t command;
    hop_t[2] hops;
    hop_t state;
}

struct metadata_t {
    bit<8> state;
}

parser ParseHops(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.command);
        transition select(hdr.command.operation) {
            0: write;
            1 .. 2: hop;
            default: accept;
        }
    }

    state hop {
        packet.extract(hdr.hops.next);
        hdr.command.operation = hdr.command.operation - 1;
        transition select(hdr.command.operation) {
            0: write;
            default: hop;
        }
    }

    state write {
        hdr.hops.next = { 0x55 };
        hdr.hops.next.value = hdr.hops.next.value + 1;
        meta.state = hdr.hops.next.isValid() ? 8w1 : 0;
        transition accept;
    }
}

#include "../include/stages.p4"

control Change(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 1;
        hdr.state = { std.parser_error == error.StackOutOfBounds ? 8w0xFF : meta.state };
    }
}

V1Switch(ParseHops(), NoVerify(), Change(), NoEgress(), NoCompute(), EmitAll()) main;
