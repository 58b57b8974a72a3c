// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Keys of every kind that the test can fill: exact, lpm, ternary with priorities, validity, expressions, stack elements.

#include <v1model.p4>

header h_t {
    bit<8> exact_value;
    bit<16> prefix_value;
    bit<16> masked_value;
    bit<8> by_exact;
    bit<8> by_prefix;
    bit<8> by_mask;
    bit<8> by_validity;
    bit<8> by_expression;
}

header extra_t {
    bit<8> value;
}

struct headers_t {
    h_t h;
    extra_t extra;
    extra_t[2] more;
}

struct metadata_t {}

parser ParseExtra(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        transition select(packet.lookahead<bit<8>>()) {
            0xEE: extra;
            default: more;
        }
    }

    state extra {
        packet.extract(hdr.extra);
        transition more;
    }

    state more {
        packet.extract(hdr.more.next);
        packet.extract(hdr.more.next);
        transition accept;
    }
}

#include "../include/stages.p4"

control Match(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    action set_exact(bit<8> value) { hdr.h.by_exact = value; }
    action set_prefix(bit<8> value) { hdr.h.by_prefix = value; }
    action set_mask(bit<8> value) { hdr.h.by_mask = value; }
    action set_validity(bit<8> value) { hdr.h.by_validity = value; }
    action set_expression(bit<8> value) { hdr.h.by_expression = value; }

    table exact_table {
        key = { hdr.h.exact_value: exact; }
        actions = { set_exact; NoAction; }
        size = 16;
    }

    table prefix_table {
        key = {
            hdr.h.exact_value: exact @name("value");
            hdr.h.prefix_value: lpm @name("prefix");
        }
        actions = { set_prefix; @defaultonly NoAction; }
        const default_action = NoAction();
    }

    table mask_table {
        key = {
            hdr.h.masked_value: ternary;
            hdr.h.exact_value: exact;
        }
        actions = { set_mask; @tableonly NoAction; }
        default_action = set_mask(0xFF);
    }

    table validity_table {
        key = {
            hdr.extra.isValid(): exact @name("has_extra");
            hdr.more[1].value: ternary @name("second");
        }
        actions = { set_validity; }
    }

    table expression_table {
        key = {
            hdr.h.masked_value[15:8] ^ hdr.h.exact_value: exact @name("mixed");
            std.ingress_port: exact @name("port");
        }
        actions = { set_expression; }
        size = 1024;
    }

    apply {
        std.egress_spec = 1;
        exact_table.apply();
        prefix_table.apply();
        mask_table.apply();
        validity_table.apply();
        expression_table.apply();
    }
}

V1Switch(ParseExtra(), NoVerify(), Match(), NoEgress(), NoCompute(), EmitAll()) main;
