// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A switch that learns: addresses that it does not know are told to the control plane, and frames to unknown ones flooded.

#include "../include/frame.p4"

struct source_t {
    mac_t address;
    PortId_t port;
}

control LearnDeparser(
    packet_out pkt,
    inout headers_t hdr,
    in metadata_t md,
    in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    Digest<source_t>(1) source;
    apply {
        if (ig_dprsr_md.digest_type == 1) {
            source.pack({hdr.ethernet.src, md.index[8:0]});
        }
        pkt.emit(hdr);
    }
}

control Ingress(
    inout headers_t hdr,
    inout metadata_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    action learn() {
        ig_dprsr_md.digest_type = 1;
    }
    action known() {}
    table sources {
        key = {
            hdr.ethernet.src: exact;
            ig_intr_md.ingress_port: exact @name("port");
        }
        actions = {
            learn;
            known;
        }
        const default_action = learn();
        size = 1024;
        idle_timeout = true;
    }
    action send(PortId_t port) {
        ig_tm_md.ucast_egress_port = port;
    }
    action flood() {
        ig_tm_md.mcast_grp_a = 1;
        // The group's nodes have a port each, whose number is their exclusion id.
        ig_tm_md.level1_exclusion_id = md.index;
    }
    table destinations {
        key = {
            hdr.ethernet.dst: exact;
        }
        actions = {
            send;
            flood;
        }
        const default_action = flood();
        size = 1024;
    }
    apply {
        md.index = 7w0 ++ ig_intr_md.ingress_port;
        sources.apply();
        destinations.apply();
    }
}

Pipeline(IngressParser(), Ingress(), LearnDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
