// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A load balancer: the first packet of a flow takes the next server in turn, which a register keeps for the others.

#include "../include/work.p4"

control Ingress(
    inout headers_t hdr,
    inout empty_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Hash<bit<8>>(HashAlgorithm_t.CRC8) flow_hash;
    Register<bit<8>, bit<1>>(1) turns;
    RegisterAction<bit<8>, bit<1>, bit<8>>(turns) take_turn = {
        void apply(inout bit<8> value, out bit<8> rv) {
            if (value >= 2) {
                value = 0;
            } else {
                value = value + 1;
            }
            rv = value;
        }
    };
    Register<bit<8>, bit<8>>(256) servers;
    RegisterAction<bit<8>, bit<8>, bit<8>>(servers) look_up = {
        void apply(inout bit<8> value, out bit<8> rv) {
            rv = value;
        }
    };
    RegisterAction<bit<8>, bit<8>, bit<8>>(servers) assign = {
        void apply(inout bit<8> value, out bit<8> rv) {
            value = 8w0x80 | hdr.work.index;
            rv = value;
        }
    };
    action to_server(PortId_t port) {
        ig_tm_md.ucast_egress_port = port;
    }
    table ports {
        key = {
            hdr.work.index: exact;
        }
        actions = {
            to_server;
        }
        const entries = {
            0x80: to_server(2);
            0x81: to_server(3);
            0x82: to_server(4);
        }
        size = 4;
    }
    apply {
        bit<8> flow = flow_hash.get({hdr.work.a});
        // 1 begins a flow.
        if (hdr.work.op == 1) {
            hdr.work.index = take_turn.execute(0);
            hdr.work.index = assign.execute(flow);
        } else {
            hdr.work.index = look_up.execute(flow);
        }
        ports.apply();
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
