// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Parser counters: options as many as a field says, and labels up to a limit.

#include <core.p4>
#include <tna.p4>
#include "../include/bare_egress.p4"

header head_t {
    bit<4> kind;
    bit<4> words;
}

header word_t {
    bit<16> value;
}

header report_t {
    bit<8> parsed;
}

struct headers_t {
    report_t report;
    head_t head;
    word_t[6] words;
}

parser IngressParser(
    packet_in pkt,
    out headers_t hdr,
    out empty_t md,
    out ingress_intrinsic_metadata_t ig_intr_md) {
    ParserCounter() counter;

    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        pkt.extract(hdr.head);
        transition select(hdr.head.kind) {
            1: counted;
            2: fixed;
            default: reject;
        }
    }
    state counted {
        // At most 6, the lower four bits, and none added.
        counter.set(hdr.head.words, 6, 0, 3, 0);
        transition more;
    }
    state fixed {
        counter.set(8w5);
        counter.decrement(2);
        transition more;
    }
    @dont_unroll
    state more {
        transition select(counter.is_zero()) {
            true: accept;
            false: word;
        }
    }
    @dont_unroll
    state word {
        pkt.extract(hdr.words.next);
        counter.decrement(1);
        transition more;
    }
}

control Ingress(
    inout headers_t hdr,
    inout empty_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    apply {
        hdr.report.setValid();
        hdr.report.parsed = 0;
        if (hdr.words[0].isValid()) {
            hdr.report.parsed = hdr.report.parsed | 1;
        }
        if (hdr.words[2].isValid()) {
            hdr.report.parsed = hdr.report.parsed | 4;
        }
        if (hdr.words[3].isValid()) {
            hdr.report.parsed = hdr.report.parsed | 8;
        }
        hdr.words[0].value = 0xFFFF;
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
