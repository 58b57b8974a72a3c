// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Keys, properties and annotations of tables.

#include "../include/frame.p4"

@pa_container_size("ingress", "md.index", 16)
@pa_no_overlay("ingress", "md.flag")
control Ingress(
    inout headers_t hdr,
    inout metadata_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Alpm(number_partitions = 1024, subtrees_per_partition = 2) prefixes;
    Atcam(number_partitions = 64) partitions;

    action forward(PortId_t port) {
        ig_tm_md.ucast_egress_port = port;
    }
    action drop() {
        ig_dprsr_md.drop_ctl = 1;
    }
    @stage(3)
    @pragma pack 3
    @hidden
    table exact_hosts {
        key = {
            hdr.ipv4.dst: exact @name("destination");
            hdr.ipv4.isValid(): exact;
            hdr.ethernet.ether_type[15:8]: exact;
        }
        actions = {
            forward;
            drop;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        size = 65536;
        idle_timeout = true;
    }
    @name("acl")
    @entries_with_ranges(16)
    table filters {
        key = {
            hdr.ipv4.src & 0xFFFFFF00: ternary;
            hdr.ipv4.total_length: range;
            hdr.ipv4.protocol: ternary;
        }
        actions = {
            forward;
            drop;
        }
        const entries = {
            (0x0A000000 &&& 0xFF000000, 0..99, _): drop();
            (_, 100..1500, 6): forward(2);
            (default, default, 17 &&& 0xFF): forward(3);
        }
        default_action = drop;
    }
    table routes {
        key = {
            hdr.ipv4.dst: lpm;
        }
        actions = {
            forward;
            drop;
        }
        alpm = prefixes;
        size = 4096;
        default_action = drop();
    }
    table partitioned {
        key = {
            hdr.ipv4.src: ternary;
            md.index: atcam_partition_index;
        }
        actions = {
            forward;
            @defaultonly NoAction;
        }
        implementation = partitions;
        size = 1024;
    }
    apply {
        if (!exact_hosts.apply().hit) {
            filters.apply();
        }
        routes.apply();
        partitioned.apply();
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
