// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Validity is a bit beside the fields: what is written to a header before it becomes valid is there afterwards, and
// what it had before it became invalid.

#include <core.p4>
#include <tna.p4>
#include "../include/bare_egress.p4"

header mark_t {
    bit<8> kind;
    bit<8> level;
}

struct headers_t {
    mark_t added;
    mark_t mark;
}

parser IngressParser(packet_in pkt, out headers_t hdr, out empty_t md, out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        pkt.extract(hdr.mark);
        transition accept;
    }
}

control Ingress(
    inout headers_t hdr,
    inout empty_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    action announce(bit<8> kind, bit<8> level) {
        hdr.added.kind = kind;
        hdr.added.level = level;
    }
    table announcements {
        key = {
            hdr.mark.kind: exact;
        }
        actions = {
            announce;
            NoAction;
        }
        const default_action = NoAction();
        const entries = {
            1: announce(0x0a, 0x0b);
            2: announce(0x0c, 0x0d);
        }
        size = 4;
    }
    apply {
        ig_tm_md.ucast_egress_port = 1;
        announcements.apply();
        hdr.added.setValid();
        if (hdr.mark.kind == 2) {
            hdr.added.setInvalid();
            hdr.mark.setInvalid();
            hdr.mark.setValid();
        }
        if (hdr.mark.level == 0xff) {
            hdr.added.setInvalid();
            hdr.added.level = 0x77;
            hdr.added.setValid();
        }
    }
}

control IngressDeparser(
    packet_out pkt,
    inout headers_t hdr,
    in empty_t md,
    in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    apply {
        pkt.emit(hdr);
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
