// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The packet generator: what each of its triggers puts in front of a packet, and a register that a timer writes.

#include <core.p4>
#include <tna.p4>
#include "../include/bare_egress.p4"

const bit<3> TIMER = 1;
const bit<3> PORT_DOWN = 2;
const bit<3> RECIRCULATED = 3;

header answer_t {
    bit<8> app;
    bit<16> port;
    bit<32> of_trigger;
    bit<16> packet;
}

header work_t {
    bit<32> word;
}

struct headers_t {
    answer_t answer;
    pktgen_timer_header_t timer;
    pktgen_port_down_header_t port_down;
    pktgen_recirc_header_t recirculated;
    work_t work;
}

parser IngressParser(packet_in pkt, out headers_t hdr, out empty_t md, out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        transition select(ig_intr_md.ingress_port) {
            64 .. 68: parse_generated;
            default: parse_work;
        }
    }

    state parse_generated {
        transition select(pkt.lookahead<bit<8>>()[2:0]) {
            TIMER: parse_timer;
            PORT_DOWN: parse_port_down;
            RECIRCULATED: parse_recirculated;
            default: parse_work;
        }
    }

    state parse_timer {
        pkt.extract(hdr.timer);
        transition parse_work;
    }

    state parse_port_down {
        pkt.extract(hdr.port_down);
        transition parse_work;
    }

    state parse_recirculated {
        pkt.extract(hdr.recirculated);
        transition parse_work;
    }

    state parse_work {
        pkt.extract(hdr.work);
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
    Register<bit<32>, bit<1>>(1) sum;
    RegisterAction<bit<32>, bit<1>, bit<32>>(sum) grow = {
        void apply(inout bit<32> value, out bit<32> now) {
            value = value + hdr.work.word;
            now = value;
        }
    };

    action answer(bit<8> app, bit<16> packet) {
        hdr.answer.setValid();
        hdr.answer.app = app;
        hdr.answer.port = (bit<16>)ig_intr_md.ingress_port;
        hdr.answer.packet = packet;
        ig_tm_md.ucast_egress_port = 2;
    }

    apply {
        if (hdr.timer.isValid()) {
            answer(hdr.timer.pipe_id ++ hdr.timer.app_id ++ 3w0, hdr.timer.packet_id);
            hdr.answer.of_trigger = (bit<32>)hdr.timer.batch_id;
            hdr.timer.setInvalid();
            hdr.work.word = grow.execute(0);
        } else if (hdr.port_down.isValid()) {
            answer(hdr.port_down.pipe_id ++ hdr.port_down.app_id ++ 3w0, hdr.port_down.packet_id);
            hdr.answer.of_trigger = (bit<32>)hdr.port_down.port_num;
            hdr.port_down.setInvalid();
        } else if (hdr.recirculated.isValid()) {
            answer(hdr.recirculated.pipe_id ++ hdr.recirculated.app_id ++ 3w0, hdr.recirculated.packet_id);
            hdr.answer.of_trigger = (bit<32>)hdr.recirculated.key;
            hdr.recirculated.setInvalid();
        } else if (ig_intr_md.ingress_port == 1) {
            ig_tm_md.ucast_egress_port = 68;
        } else {
            ig_tm_md.ucast_egress_port = 3;
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
