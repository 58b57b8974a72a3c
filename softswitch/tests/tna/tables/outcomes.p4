// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A register in the actions of a table and in the branches on what it did: one of them runs.

#include "../include/frame.p4"

control Ingress(
    inout headers_t hdr,
    inout metadata_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Register<bit<32>, bit<16>>(1024) counts;
    RegisterAction<bit<32>, bit<16>, bit<32>>(counts) up = {
        void apply(inout bit<32> value) {
            value = value + 1;
        }
    };
    RegisterAction<bit<32>, bit<16>, bit<32>>(counts) down = {
        void apply(inout bit<32> value) {
            value = value - 1;
        }
    };
    action hit_up(bit<16> index) {
        up.execute(index);
    }
    action hit_nothing() {}
    table hosts {
        key = {
            hdr.ipv4.dst: exact;
        }
        actions = {
            hit_up;
            hit_nothing;
        }
        const default_action = hit_nothing();
        size = 1024;
    }
    table sources {
        key = {
            hdr.ipv4.src: exact;
        }
        actions = {
            NoAction;
        }
        size = 1024;
    }
    action mark() {
        md.flag = true;
    }
    table marks {
        actions = {
            mark;
        }
        default_action = mark;
    }
    apply {
        switch (hosts.apply().action_run) {
            hit_up: {
                marks.apply();
            }
            hit_nothing: {
                if (sources.apply().hit) {
                    down.execute(1);
                } else {
                    marks.apply();
                }
            }
        }
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
