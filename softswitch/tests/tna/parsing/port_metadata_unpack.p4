// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Metadata of a port by the function for it; it is a key then.

#include <core.p4>
#include <tna.p4>
#include "../include/bare_egress.p4"

struct port_metadata_t {
    bit<3> zone;
    bit<9> peer;
}

header mark_t {
    bit<8> mark;
}

struct headers_t {
    mark_t mark;
}

struct metadata_t {
    port_metadata_t port;
}

parser IngressParser(
    packet_in pkt,
    out headers_t hdr,
    out metadata_t md,
    out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        md.port = port_metadata_unpack<port_metadata_t>(pkt);
        pkt.extract(hdr.mark);
        transition accept;
    }
}

control Ingress(
    inout headers_t hdr,
    inout metadata_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    action to_peer() {
        ig_tm_md.ucast_egress_port = md.port.peer;
    }
    action drop() {
        ig_dprsr_md.drop_ctl = 1;
    }
    table zones {
        key = {
            md.port.zone: exact;
        }
        actions = {
            to_peer;
            drop;
        }
        const entries = {
            5: to_peer();
        }
        const default_action = drop();
    }
    apply {
        zones.apply();
    }
}

control IngressDeparser(
    packet_out pkt,
    inout headers_t hdr,
    in metadata_t md,
    in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    apply {
        pkt.emit(hdr);
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
