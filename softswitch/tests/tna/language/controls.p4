// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Controls with objects of their own, used several times; objects as arguments; the functions of the architecture.

#include "../include/frame.p4"

// Each instance has its own register and table, under the same names.
control Count<I>(in I index, out bit<32> count)(bit<32> size) {
    Register<bit<32>, I>(size, 0) cells;
    RegisterAction<bit<32>, I, bit<32>>(cells) increment = {
        void apply(inout bit<32> value, out bit<32> rv) {
            rv = value;
            value = value + 1;
        }
    };
    apply {
        count = increment.execute(index);
    }
}

control Use(inout metadata_t md)(Register<bit<32>, bit<16>> shared) {
    RegisterAction<bit<32>, bit<16>, bit<32>>(shared) load = {
        void apply(inout bit<32> value, out bit<32> rv) {
            rv = value;
        }
    };
    action read() {
        md.value = load.execute(md.index);
    }
    table reads {
        actions = {
            read;
        }
        const default_action = read();
    }
    apply {
        reads.apply();
    }
}

enum Verdict {
    PASS,
    HOLD
}

control Ingress(
    inout headers_t hdr,
    inout metadata_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Count<bit<16>>(1024) by_index;
    Count<PortId_t>(512) by_port;
    Register<bit<32>, bit<16>>(4096) cells;
    Use(cells) use;

    bit<32> low;
    bit<32> high;

    action learn(bit<16> value, Verdict verdict) {
        md.index = value;
        md.flag = verdict == Verdict.HOLD;
    }

    apply {
        by_index.apply(md.index, low);
        by_port.apply(ig_intr_md.ingress_port, high);
        md.value = min(low, high);
        md.value = max(md.value, 16);
        use.apply(md);
        bit<32> header_bytes = sizeInBytes(hdr.ipv4);
        bit<32> header_bits = sizeInBits(hdr.ethernet);
        hdr.ipv4.id = header_bytes[15:0] ++ header_bits[15:0] == 0 ? 16w1 : hdr.ipv4.id;
        if (!is_validated(hdr.ipv4)) {
            invalidate(ig_tm_md.ucast_egress_port);
        }
        learn(4, Verdict.PASS);
        funnel_shift_right(hdr.ipv4.src, hdr.ipv4.dst, md.value, 8);
        if (ig_tm_md.mcast_grp_a == 0 && hdr.ipv4.ttl == 1) {
            exit;
        }
        @in_hash {
            md.index = hdr.ipv4.id ^ hdr.ipv4.checksum;
        }
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
