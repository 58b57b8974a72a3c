// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Resubmission: the packet as it came begins again, with eight bytes at most in place of the port's metadata.

#include <core.p4>
#include <tna.p4>
#include "../include/bare_egress.p4"

const ResubmitType_t TOLD = 1;
const ResubmitType_t PLAIN = 2;

header work_t {
    bit<8> op;
    bit<8> value;
}

header again_t {
    bit<8> value;
    bit<16> more;
    bit<40> unused;
}

struct headers_t {
    work_t work;
}

struct metadata_t {
    again_t again;
}

parser IngressParser(
    packet_in pkt,
    out headers_t hdr,
    out metadata_t md,
    out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        transition select(ig_intr_md.resubmit_flag) {
            0: fresh;
            1: again;
        }
    }
    state fresh {
        pkt.advance(PORT_METADATA_SIZE);
        transition work;
    }
    state again {
        pkt.extract(md.again);
        transition work;
    }
    state work {
        pkt.extract(hdr.work);
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
        if (ig_intr_md.resubmit_flag == 0) {
            ig_tm_md.ucast_egress_port = 2;
            md.again.value = hdr.work.value + 1;
            md.again.more = 0x1234;
            hdr.work.op = 0xEE;
            if (hdr.work.value[7:7] == 0) {
                ig_dprsr_md.resubmit_type = TOLD;
            } else {
                ig_dprsr_md.resubmit_type = PLAIN;
            }
            if (hdr.work.value == 0x80) {
                // Not even resubmitted.
                ig_dprsr_md.drop_ctl = 1;
            }
        } else {
            ig_tm_md.ucast_egress_port = 3;
            hdr.work.value = md.again.value + md.again.more[7:0];
            if (hdr.work.op == 2) {
                // A second time is once too often.
                ig_dprsr_md.resubmit_type = TOLD;
            }
        }
    }
}

control IngressDeparser(
    packet_out pkt,
    inout headers_t hdr,
    in metadata_t md,
    in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    Resubmit(TOLD) told;
    Resubmit(PLAIN) plain;
    apply {
        if (ig_dprsr_md.resubmit_type == TOLD) {
            told.emit<again_t>({md.again.value, md.again.more, 0});
        }
        if (ig_dprsr_md.resubmit_type == PLAIN) {
            plain.emit();
        }
        pkt.emit(hdr.work);
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
