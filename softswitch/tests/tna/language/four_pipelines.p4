// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Four pipelines without names, of controls that they share.

#include "../include/frame.p4"

control Ingress(
    inout headers_t hdr,
    inout metadata_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md)(PortId_t first) {
    action forward() {
        ig_tm_md.ucast_egress_port = first;
    }
    table hosts {
        key = {
            hdr.ipv4.dst: exact;
        }
        actions = {
            forward;
        }
        size = 64;
    }
    apply {
        hosts.apply();
    }
}

Switch(
    Pipeline(IngressParser(), Ingress(0), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()),
    Pipeline(IngressParser(), Ingress(128), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()),
    Pipeline(IngressParser(), Ingress(256), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()),
    Pipeline(IngressParser(), Ingress(384), IngressDeparser(), EgressParser(), Egress(), EgressDeparser())) main;
