// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The arithmetic that Tofino has.

#include "../include/frame.p4"

const bit<32> SCALE = 8;

bit<32> times(in bit<32> value, in bit<32> factor) {
    return value * factor;
}

bit<32> shifted(in bit<32> value, in bit<8> bits) {
    return value << bits;
}

control Ingress(
    inout headers_t hdr,
    inout metadata_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    action scale(bit<32> step) {
        md.value = md.value * SCALE;
        md.value = md.value + step;
    }
    table steps {
        key = {
            // A constant argument is a constant in the function, wherever the call stands.
            times(hdr.ipv4.src, 4): exact @name("four_times");
        }
        actions = {
            scale;
        }
        size = 16;
    }
    apply {
        bit<32> by = 4;
        md.index = hdr.ipv4.id / 256;
        hdr.ipv4.id = hdr.ipv4.id % 16;
        hdr.ipv4.total_length = hdr.ipv4.total_length << 2;
        hdr.ipv4.ttl = hdr.ipv4.ttl |-| 1;
        // A constant in a variable is a constant.
        hdr.ipv4.src = hdr.ipv4.src * by;
        hdr.ipv4.dst = hdr.ipv4.dst >> by[7:0];
        md.colour = hdr.ipv4.tos & 0xFC | 1;
        bit<32> steps_taken = shifted(md.value, 2);
        for (bit<32> step = 0; step < steps_taken; step = step + 1) {
            md.index = md.index + 1;
        }
        steps.apply();
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
