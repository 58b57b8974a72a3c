// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A meter of packets: each packet gets the colour that the one before it left, or its own where that is worse.

#include "../include/work.p4"

control Ingress(
    inout headers_t hdr,
    inout empty_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Meter<bit<8>>(256, MeterType_t.PACKETS) rate;
    Meter<bit<8>>(256, MeterType_t.PACKETS, 0x33, 0x22, 0x11) named;
    apply {
        if (hdr.work.op == 0) {
            hdr.work.b[7:0] = rate.execute(hdr.work.index);
        } else if (hdr.work.op == 1) {
            hdr.work.b[7:0] = rate.execute(index = hdr.work.index, color = MeterColor_t.YELLOW);
        } else {
            hdr.work.b[7:0] = named.execute(index = hdr.work.index, color = MeterColor_t.RED);
        }
        ig_tm_md.ucast_egress_port = 2;
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
