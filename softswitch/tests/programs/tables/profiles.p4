// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Tables whose entries name members of an action profile or groups of an action selector, two of which share one. STF has
// no commands for members, so this is a test of tables without entries: they miss, and no action runs.

#include <v1model.p4>

header h_t {
    bit<8> key;
    bit<8> flow;
    bit<8> profile;
    bit<8> selector;
    bit<8> shared;
}

#include "../include/one_header.p4"

control Choose(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    action_profile(32) members;
    @max_group_size(4)
    action_selector(HashAlgorithm.crc16, 64, 14) groups;
    @name("shared_groups")
    action_selector(HashAlgorithm.identity, 16, 4) shared;

    action set_profile(bit<8> value) { hdr.h.profile = value; }
    action set_selector(bit<8> value) { hdr.h.selector = value; }
    action set_shared(bit<8> value) { hdr.h.shared = value; }

    table with_profile {
        key = { hdr.h.key: lpm; }
        actions = { set_profile; NoAction; }
        implementation = members;
        size = 256;
    }

    table with_selector {
        key = {
            hdr.h.key: exact;
            hdr.h.flow: selector;
            std.ingress_port: selector;
        }
        actions = { set_selector; NoAction; }
        implementation = groups;
    }

    table shares_first {
        key = { hdr.h.key: exact; hdr.h.flow: selector; }
        actions = { set_shared; NoAction; }
        implementation = shared;
    }

    table shares_second {
        key = { hdr.h.flow: ternary; hdr.h.flow: selector @name("flow_hash"); }
        actions = { set_shared; NoAction; }
        implementation = shared;
    }

    apply {
        std.egress_spec = 1;
        if (with_profile.apply().miss) {
            hdr.h.profile = hdr.h.profile + 1;
        }
        if (with_selector.apply().hit) {
            hdr.h.selector = 0xFF;
        } else {
            hdr.h.selector = hdr.h.selector + 2;
        }
        if (!shares_first.apply().hit && !shares_second.apply().hit) {
            hdr.h.shared = hdr.h.shared + 3;
        }
    }
}

V1Switch(ParseH(), NoVerify(), Choose(), NoEgress(), NoCompute(), EmitAll()) main;
