// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Annotations of every form, on everything that can have one; names that they give are the ones that the test uses.

#include <v1model.p4>

@pragma_like[true, 12, "text"]
@described(kind = "sample", order = 1)
header h_t {
    @format(HEX) bit<8> key;
    bit<8> by_name;
    bit<8> by_scope;
    bit<8> by_global;
}

@controller_header("packet_in")
header notice_t {
    @id(1) bit<9> port;
    @padding bit<7> unused;
}

struct headers_t {
    notice_t notice;
    @name("first") h_t h;
}

struct metadata_t {}

@name("start_here")
parser ParseH(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    @name(".begin")
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

#include "../include/stages.p4"

@brief("Writes what the entries say")
control Write(inout headers_t hdr, inout metadata_t meta,
              @optional_hint inout standard_metadata_t std) {
    @name("named_action")
    action by_name(@name("new_value") @id(7) bit<8> value) {
        hdr.h.by_name = value;
    }

    @name(".global_action")
    @unlikely_used
    action by_global(bit<8> value) {
        hdr.h.by_global = value;
    }

    @id(0x01001234)
    action by_scope(bit<8> value) {
        hdr.h.by_scope = value;
    }

    @hidden
    action default_forward() {
        std.egress_spec = 1;
    }

    @name("named_table")
    @id(0x02001234)
    table table_one {
        key = { hdr.h.key: exact @name("the key"); }
        actions = { @tableonly by_name; @defaultonly NoAction; }
        const default_action = NoAction();
    }

    @name(".outer.global_table")
    table table_two {
        key = {
            hdr.h.key & 0x0F: exact @name("low_nibble");
            hdr.h.by_name: exact;
        }
        actions = { by_global; by_scope; }
    }

    @hidden
    table forward {
        actions = { default_forward; }
        const default_action = default_forward();
    }

    apply {
        forward.apply();
        table_one.apply();
        @likely_first {
            table_two.apply();
        }
    }
}

@switch_package
V1Switch(ParseH(), NoVerify(), Write(), NoEgress(), NoCompute(), EmitAll()) main;
