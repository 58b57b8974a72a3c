// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Header stacks: labels pushed and popped.

#include <core.p4>
#include <tna.p4>
#include "../include/bare_egress.p4"

header head_t {
    bit<8> op;
}

header label_t {
    bit<15> value;
    bit<1> bottom;
}

struct headers_t {
    head_t head;
    label_t[4] labels;
}

parser IngressParser(
    packet_in pkt,
    out headers_t hdr,
    out empty_t md,
    out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        pkt.extract(hdr.head);
        transition label;
    }
    state label {
        pkt.extract(hdr.labels.next);
        transition select(hdr.labels.last.bottom) {
            0: label;
            1: accept;
        }
    }
}

control Ingress(
    inout headers_t hdr,
    inout empty_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    action push(bit<15> value) {
        hdr.labels.push_front(1);
        hdr.labels[0].setValid();
        hdr.labels[0].value = value;
        hdr.labels[0].bottom = 0;
    }
    action pop() {
        hdr.labels.pop_front(1);
    }
    action pop_two() {
        hdr.labels.pop_front(2);
    }
    action swap(bit<15> value) {
        hdr.labels[0].value = value;
    }
    table ops {
        key = {
            hdr.head.op: exact;
        }
        actions = {
            push;
            pop;
            pop_two;
            swap;
            @defaultonly NoAction;
        }
        const entries = {
            1: push(0x1234);
            2: pop();
            3: pop_two();
            4: swap(0x7FFF);
        }
        const default_action = NoAction();
    }
    apply {
        ops.apply();
        ig_tm_md.ucast_egress_port = 2;
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
