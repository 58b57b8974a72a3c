// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Everything of a switch but the ingress control, for packets that hold nothing but work: what to do, and the numbers.

#include <core.p4>
#include <tna.p4>
#include "bare_egress.p4"

header work_t {
    bit<8> op;
    bit<8> index;
    bit<32> a;
    bit<32> b;
}

struct headers_t {
    work_t work;
}

parser IngressParser(packet_in pkt, out headers_t hdr, out empty_t md, out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        pkt.extract(hdr.work);
        transition accept;
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
