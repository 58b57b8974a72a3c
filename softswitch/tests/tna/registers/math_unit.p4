// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The math unit's approximations: the upper four bits of a number, a table of 16, and a shift.

#include "../include/work.p4"

control Ingress(
    inout headers_t hdr,
    inout empty_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Register<bit<32>, bit<8>>(1) products;
    MathUnit<bit<32>>(MathOp_t.MUL, 3) triple;
    RegisterAction<bit<32>, bit<8>, bit<32>>(products) multiply = {
        void apply(inout bit<32> value, out bit<32> rv) {
            value = triple.execute(hdr.work.a);
            rv = value;
        }
    };
    Register<bit<32>, bit<8>>(1) squares;
    MathUnit<bit<32>>(MathOp_t.SQR, 1) square_of;
    RegisterAction<bit<32>, bit<8>, bit<32>>(squares) square = {
        void apply(inout bit<32> value, out bit<32> rv) {
            value = square_of.execute(hdr.work.a);
            rv = value;
        }
    };
    Register<bit<32>, bit<8>>(1) roots;
    MathUnit<bit<32>>(MathOp_t.SQRT, 1) root_of;
    RegisterAction<bit<32>, bit<8>, bit<32>>(roots) root = {
        void apply(inout bit<32> value, out bit<32> rv) {
            value = root_of.execute(hdr.work.a);
            rv = value;
        }
    };
    Register<bit<32>, bit<8>>(1) quotients;
    MathUnit<bit<32>>(MathOp_t.DIV, 1000) part_of_1000;
    RegisterAction<bit<32>, bit<8>, bit<32>>(quotients) divide = {
        void apply(inout bit<32> value, out bit<32> rv) {
            value = part_of_1000.execute(hdr.work.a);
            rv = value;
        }
    };
    apply {
        if (hdr.work.op == 0) {
            hdr.work.b = multiply.execute(0);
        } else if (hdr.work.op == 1) {
            hdr.work.b = square.execute(0);
        } else if (hdr.work.op == 2) {
            hdr.work.b = root.execute(0);
        } else {
            hdr.work.b = divide.execute(0);
        }
        ig_tm_md.ucast_egress_port = 2;
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
