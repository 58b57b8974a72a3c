// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A constant default action, a table of prefixes, a meter and two custom CRCs.

#include <v1model.p4>

header h_t {
    bit<8> key;
    bit<32> wide;
    bit<16> narrow;
}

struct headers_t {
    h_t h;
}

struct metadata_t {
    bit<2> colour;
}

parser ParseH(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

control Check(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control Choose(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    meter(3, MeterType.bytes) policer;
    action fwd(bit<9> port) {
        std.egress_spec = port;
    }
    action drop() {
        mark_to_drop(std);
    }
    table fixed {
        key = { hdr.h.key: exact; }
        actions = { fwd; drop; }
        const default_action = drop();
    }
    table prefixes {
        key = { hdr.h.key: lpm; }
        actions = { fwd; drop; }
        default_action = drop;
    }

    apply {
        fixed.apply();
        prefixes.apply();
        policer.execute_meter(0, meta.colour);
        hash(hdr.h.wide, HashAlgorithm.crc32_custom, 32w0, { hdr.h.key }, 64w0x100000000);
        hash(hdr.h.narrow, HashAlgorithm.crc16_custom, 16w0, { hdr.h.key }, 32w0x10000);
    }
}

control Leave(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {}
}

control Emit(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(ParseH(), Check(), Choose(), Leave(), Check(), Emit()) main;
