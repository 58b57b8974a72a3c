// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The first bytes of a packet say what ingress and egress do with it. Egress puts what it sees in front of it.

#include <core.p4>
#include <tna.p4>

header order_t {
    bit<8> ingress;         // what ingress does: INGRESS_...
    bit<8> egress;          // what egress does: EGRESS_...
    bit<16> argument;       // port, group or session
}

const bit<8> INGRESS_SEND = 1;          // to a port
const bit<8> INGRESS_NOTHING = 2;
const bit<8> INGRESS_GROUP = 3;
const bit<8> INGRESS_MIRROR = 4;        // to a session, and the packet to port 1
const bit<8> INGRESS_RESUBMIT = 5;
const bit<8> INGRESS_TO_CPU = 6;        // and to a port
const bit<8> INGRESS_BYPASS = 7;
const bit<8> INGRESS_DROP_MIRRORED = 8;
const bit<8> INGRESS_EXCLUDE = 9;       // a group, without what the ids exclude
const bit<8> INGRESS_PORT_ZERO = 10;
const bit<8> INGRESS_RESUBMIT_ALWAYS = 11;
const bit<8> INGRESS_DEFLECT = 12;

const bit<8> EGRESS_DROP = 1;
const bit<8> EGRESS_MIRROR = 2;
const bit<8> EGRESS_DROP_MIRRORED = 3;
const bit<8> EGRESS_TOO_MUCH = 4;

const bit<8> FROM_INGRESS = 0xb1;
const bit<8> FROM_MIRROR = 0xb2;

header resubmitted_t {
    bit<16> value;
    @padding bit<48> _pad;
}

header kind_t {
    bit<8> kind;
}

// In front of every packet that egress sends.
header seen_t {
    bit<8> kind;
    bit<16> port;
    bit<16> rid;
    bit<8> rid_first;
    bit<8> queue;
    bit<16> pkt_length;
    bit<24> enq_qdepth;
    bit<24> deq_qdepth;
}

struct headers_t {
    seen_t seen;
    kind_t kind;
    order_t order;
}

struct metadata_t {
    bit<16> resubmitted;
    bit<64> port_metadata;
    MirrorId_t session;
}

struct port_metadata_t {
    bit<64> bits;
}

parser IngressParser(packet_in pkt, out headers_t hdr, out metadata_t md, out ingress_intrinsic_metadata_t ig_intr_md) {
    resubmitted_t again;

    state start {
        pkt.extract(ig_intr_md);
        md.resubmitted = 0;
        md.port_metadata = 0;
        md.session = 0;
        transition select(ig_intr_md.resubmit_flag) {
            1: resubmitted;
            default: fresh;
        }
    }

    state resubmitted {
        pkt.extract(again);
        md.resubmitted = again.value;
        transition order;
    }

    state fresh {
        md.port_metadata = port_metadata_unpack<port_metadata_t>(pkt).bits;
        transition order;
    }

    state order {
        pkt.extract(hdr.order);
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
    apply {
        hdr.kind.setValid();
        hdr.kind.kind = FROM_INGRESS;
        bit<16> argument = hdr.order.argument;
        if (ig_intr_md.resubmit_flag == 1) {
            // The data of the first pass is the port of the second.
            ig_tm_md.ucast_egress_port = md.resubmitted[8:0];
            if (hdr.order.ingress == INGRESS_RESUBMIT_ALWAYS) {
                ig_dprsr_md.resubmit_type = 3;
            }
        } else if (hdr.order.ingress == INGRESS_SEND) {
            ig_tm_md.ucast_egress_port = argument[8:0];
            ig_tm_md.qid = argument[13:9];
        } else if (hdr.order.ingress == INGRESS_DEFLECT) {
            ig_tm_md.ucast_egress_port = argument[8:0];
            ig_tm_md.deflect_on_drop = 1;
        } else if (hdr.order.ingress == INGRESS_GROUP) {
            ig_tm_md.mcast_grp_a = argument;
        } else if (hdr.order.ingress == INGRESS_EXCLUDE) {
            ig_tm_md.mcast_grp_a = argument;
            ig_tm_md.level1_exclusion_id = 7;
            ig_tm_md.level2_exclusion_id = 9;
            ig_tm_md.rid = 20;
        } else if (hdr.order.ingress == INGRESS_MIRROR) {
            ig_dprsr_md.mirror_type = 2;
            md.session = argument[9:0];
            hdr.order.egress = 0;
            ig_tm_md.ucast_egress_port = 1;
        } else if (hdr.order.ingress == INGRESS_DROP_MIRRORED) {
            ig_dprsr_md.mirror_type = 2;
            ig_dprsr_md.drop_ctl = 1;
            md.session = argument[9:0];
            ig_tm_md.ucast_egress_port = 1;
        } else if (hdr.order.ingress == INGRESS_RESUBMIT || hdr.order.ingress == INGRESS_RESUBMIT_ALWAYS) {
            ig_dprsr_md.resubmit_type = 3;
            hdr.order.egress = 0xff;
            ig_tm_md.ucast_egress_port = 1;
        } else if (hdr.order.ingress == INGRESS_TO_CPU) {
            ig_tm_md.ucast_egress_port = argument[8:0];
            ig_tm_md.copy_to_cpu = 1;
        } else if (hdr.order.ingress == INGRESS_BYPASS) {
            ig_tm_md.ucast_egress_port = argument[8:0];
            ig_tm_md.bypass_egress = 1;
        } else if (hdr.order.ingress == INGRESS_PORT_ZERO) {
            ig_tm_md.ucast_egress_port = 0;
        } else if (hdr.order.ingress == 0) {
            // The port's metadata is the port to send to.
            ig_tm_md.ucast_egress_port = md.port_metadata[8:0];
        }
    }
}

control IngressDeparser(
    packet_out pkt,
    inout headers_t hdr,
    in metadata_t md,
    in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    Mirror(2) mirror;
    Resubmit(3) resubmit;

    apply {
        mirror.emit<kind_t>(md.session, { FROM_MIRROR });
        resubmit.emit<resubmitted_t>({ hdr.order.argument, 0 });
        pkt.emit(hdr.kind);
        pkt.emit(hdr.order);
    }
}

parser EgressParser(packet_in pkt, out headers_t hdr, out metadata_t md, out egress_intrinsic_metadata_t eg_intr_md) {
    state start {
        pkt.extract(eg_intr_md);
        pkt.extract(hdr.kind);
        md.session = 0;
        pkt.extract(hdr.order);
        transition select(hdr.order.egress) {
            EGRESS_TOO_MUCH: too_much;
            default: accept;
        }
    }

    state too_much {
        pkt.extract(hdr.seen);
        transition accept;
    }
}

control Egress(
    inout headers_t hdr,
    inout metadata_t md,
    in egress_intrinsic_metadata_t eg_intr_md,
    in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
    inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
    inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) {
    apply {
        if (hdr.kind.kind == FROM_INGRESS) {
            if (hdr.order.egress == EGRESS_DROP) {
                eg_dprsr_md.drop_ctl = 1;
            } else if (hdr.order.egress == EGRESS_MIRROR || hdr.order.egress == EGRESS_DROP_MIRRORED) {
                eg_dprsr_md.mirror_type = 1;
                md.session = 5;
                if (hdr.order.egress == EGRESS_DROP_MIRRORED) {
                    eg_dprsr_md.drop_ctl = 1;
                }
            }
        }
        hdr.seen.setValid();
        hdr.seen.kind = hdr.kind.kind;
        hdr.seen.port = (bit<16>) eg_intr_md.egress_port;
        hdr.seen.rid = eg_intr_md.egress_rid;
        hdr.seen.rid_first = (bit<8>) eg_intr_md.egress_rid_first;
        hdr.seen.queue = eg_intr_md.deflection_flag ++ 2w0 ++ eg_intr_md.egress_qid;
        hdr.seen.pkt_length = eg_intr_md.pkt_length;
        hdr.seen.enq_qdepth = (bit<24>) eg_intr_md.enq_qdepth;
        hdr.seen.deq_qdepth = (bit<24>) eg_intr_md.deq_qdepth;
        hdr.kind.setInvalid();
        // A recirculated packet goes on as if it had come to a port.
        if (eg_intr_md.egress_port == 68) {
            hdr.seen.setInvalid();
            hdr.order.ingress = INGRESS_SEND;
            hdr.order.argument = 3;
        }
    }
}

control EgressDeparser(
    packet_out pkt,
    inout headers_t hdr,
    in metadata_t md,
    in egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) {
    Mirror(1) mirror;

    apply {
        mirror.emit<kind_t>(md.session, { FROM_MIRROR });
        pkt.emit(hdr.seen);
        pkt.emit(hdr.order);
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;

Switch(pipe) main;
