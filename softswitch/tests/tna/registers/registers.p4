// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Registers: every way to use one once.

#include "../include/frame.p4"

struct pair_t {
    bit<32> low;
    bit<32> high;
}

control Ingress(
    inout headers_t hdr,
    inout metadata_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Register<bit<32>, bit<16>>(1024) counts;
    RegisterAction<bit<32>, bit<16>, bit<32>>(counts) increment = {
        void apply(inout bit<32> value, out bit<32> rv) {
            value = value |+| 1;
            rv = value;
        }
    };
    // The result may be left out, and the parameters have any name.
    RegisterAction<bit<32>, bit<16>, bit<32>>(counts) clear = {
        void apply(inout bit<32> old) {
            old = 0;
        }
    };

    Register<pair_t, _>(size = 256, initial_value = {1, 2}) pairs;
    RegisterParam<bit<32>>(100) limit;
    RegisterAction<pair_t, bit<8>, bit<32>>(pairs) compare = {
        void apply(inout pair_t value, out bit<32> result) {
            if (value.low > limit.read()) {
                value.high = value.high + 1;
                result = value.high;
            } else {
                value.low = md.value;
                result = 0;
            }
        }
    };

    Register<bit<1>, PortId_t>(512, 0) seen;
    RegisterAction<bit<1>, PortId_t, bit<1>>(seen) see = {
        void apply(inout bit<1> value, out bit<1> rv) {
            rv = value;
            value = 1;
        }
    };

    Register<bit<32>, bit<16>>(1024) roots;
    MathUnit<bit<32>>(MathOp_t.SQRT, 1) square_root;
    RegisterAction<bit<32>, bit<16>, bit<32>>(roots) root = {
        void apply(inout bit<32> value, out bit<32> rv) {
            value = square_root.execute(md.value);
            rv = value;
        }
    };

    Register<bit<32>, bit<16>>(1024) halves;
    MathUnit<bit<32>>(MathOp_t.MUL, 1, 2) half;
    RegisterAction<bit<32>, bit<16>, bit<32>>(halves) halve = {
        void apply(inout bit<32> value) {
            value = half.execute(value);
        }
    };

    Register<bit<32>, bit<16>>(1024) curves;
    MathUnit<bit<32>>(false, 2s1, 6s3, {15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}) curve;
    RegisterAction<bit<32>, bit<16>, bit<32>>(curves) bend = {
        void apply(inout bit<32> value) {
            value = curve.execute(md.value);
        }
    };

    // One in each branch: a packet uses one of them.
    Register<bit<8>, bit<8>>(256) branches;
    RegisterAction<bit<8>, bit<8>, bit<8>>(branches) one = {
        void apply(inout bit<8> value, out bit<8> rv) {
            value = value + 1;
            rv = value;
        }
    };
    RegisterAction<bit<8>, bit<8>, bit<8>>(branches) two = {
        void apply(inout bit<8> value, out bit<8> rv) {
            value = value - 1;
            rv = value;
        }
    };

    DirectRegister<bit<16>>() last;
    DirectRegisterAction<bit<16>, bit<16>>(last) remember = {
        void apply(inout bit<16> value, out bit<16> rv) {
            rv = value;
            value = hdr.ipv4.id;
        }
    };
    action forward(PortId_t port) {
        ig_tm_md.ucast_egress_port = port;
        md.index = remember.execute();
    }
    action drop() {
        ig_dprsr_md.drop_ctl = 1;
    }
    table hosts {
        key = {
            hdr.ipv4.dst: exact;
        }
        actions = {
            forward;
            drop;
        }
        const default_action = drop();
        registers = last;
        size = 1024;
    }

    apply {
        if (hdr.ipv4.isValid()) {
            if (hdr.ipv4.ttl == 0) {
                clear.execute(md.index);
                return;
            }
            md.value = increment.execute(md.index);
            hosts.apply();
        } else {
            clear.execute(0);
        }
        if (see.execute(ig_intr_md.ingress_port) == 1) {
            md.colour = one.execute(3);
        } else if (md.flag) {
            md.colour = two.execute(4);
        }
        compare.execute(hdr.ipv4.tos);
        root.execute(md.index);
        halve.execute(md.index);
        bend.execute(md.index);
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
