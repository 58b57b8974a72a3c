// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Parser errors: core.p4's and the program's own, verify, and what of the packet ingress then sees.

#include <v1model.p4>

error {
    BadVersion,
    OddLength
}

header first_t {
    bit<4> version;
    bit<4> kind;
}

header item_t {
    bit<8> value;
}

header options_t {
    varbit<16> data;
}

header report_t {
    bit<8> code;
    bit<8> valid;
}

struct headers_t {
    report_t report;
    first_t first;
    item_t[2] items;
    options_t options;
}

struct metadata_t {}

parser ParseOrFail(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.first);
        verify(hdr.first.version == 4, error.BadVersion);
        transition select(hdr.first.kind) {
            0: accept;
            1: item;
            2: varied;
            3: odd;
            default: reject;
        }
    }

    state item {                    // until the stack or the packet ends
        packet.extract(hdr.items.next);
        transition item;
    }

    state varied {
        bit<8> size_bytes = packet.lookahead<bit<8>>();
        packet.extract(hdr.items.next);
        packet.extract(hdr.options, (bit<32>) size_bytes << 3);
        transition accept;
    }

    state odd {
        verify(std.packet_length & 1 == 0, error.OddLength);
        packet.advance(16);
        transition accept;
    }
}

#include "../include/stages.p4"

control Report(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 1;
        hdr.report.setValid();
        hdr.report.valid = 0;
        if (hdr.first.isValid()) {
            hdr.report.valid = hdr.report.valid | 1;
        }
        if (hdr.items[1].isValid()) {
            hdr.report.valid = hdr.report.valid | 2;
        }
        if (hdr.options.isValid()) {
            hdr.report.valid = hdr.report.valid | 4;
        }
        if (std.parser_error == error.NoError) {
            hdr.report.code = 0;
        } else if (std.parser_error == error.PacketTooShort) {
            hdr.report.code = 1;
        } else if (std.parser_error == error.StackOutOfBounds) {
            hdr.report.code = 3;
        } else if (std.parser_error == error.HeaderTooShort) {
            hdr.report.code = 4;
        } else if (std.parser_error == error.BadVersion) {
            hdr.report.code = 5;
        } else if (std.parser_error == error.OddLength) {
            hdr.report.code = 6;
        } else {
            hdr.report.code = 7;
        }
    }
}

V1Switch(ParseOrFail(), NoVerify(), Report(), NoEgress(), NoCompute(), EmitAll()) main;
