// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Header stacks: a loop in the parser with next, last and lastIndex; push, pop and run-time indices.

#include <v1model.p4>

header command_t {
    bit<8> operation;
    bit<8> index;
}

header hop_t {
    bit<1> is_last;
    bit<7> value;
}

struct headers_t {
    command_t command;
    hop_t[4] hops;
}

struct metadata_t {
    bit<32> last_index;
    bit<8> last_value;
}

parser ParseHops(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.command);
        transition hop;
    }

    state hop {
        packet.extract(hdr.hops.next);
        meta.last_index = hdr.hops.lastIndex;
        meta.last_value = (bit<8>) hdr.hops.last.value;
        transition select(hdr.hops.last.is_last) {
            0: hop;
            1: accept;
        }
    }
}

#include "../include/stages.p4"

control Change(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 1;
        switch (hdr.command.operation) {
            1: {
                hdr.hops.push_front(1);
                hdr.hops[0].setValid();
                hdr.hops[0] = { 0, 0x55 };
            }
            2: {
                hdr.hops.pop_front(2);
            }
            3: {
                hdr.hops[hdr.command.index].value = 0x7F;
            }
            4: {
                bit<7> old = hdr.hops[hdr.command.index].value;
                hdr.hops[hdr.command.index].value = hdr.hops[hdr.command.index + 1].value;
                hdr.hops[hdr.command.index + 1].value = old;
            }
            5: {
                hdr.hops[1].setInvalid();
                if (!hdr.hops[1].isValid() && hdr.hops[2].isValid()) {
                    hdr.hops[0].value = hdr.hops[2].value + 1;
                }
            }
        }
        hdr.command.operation = (bit<8>) meta.last_index;
        hdr.command.index = meta.last_value;
    }
}

V1Switch(ParseHops(), NoVerify(), Change(), NoEgress(), NoCompute(), EmitAll()) main;
