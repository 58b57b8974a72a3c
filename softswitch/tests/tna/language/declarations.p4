// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Declarations of tna.p4 on which programs depend: sizes, values and macros.

#include "../include/frame.p4"

const bool sizes =
    static_assert(ingress_intrinsic_metadata_t.minSizeInBits() == 64, "before a packet in ingress")
    && static_assert(egress_intrinsic_metadata_t.minSizeInBytes() == 27, "before a packet in egress")
    && static_assert(ingress_intrinsic_metadata_for_tm_t.minSizeInBits() == 126, "for the traffic manager")
    && static_assert(ingress_intrinsic_metadata_from_parser_t.minSizeInBits() == 96, "from the ingress parser")
    && static_assert(ingress_intrinsic_metadata_for_deparser_t.minSizeInBits() == 12, "for the ingress deparser")
    && static_assert(egress_intrinsic_metadata_for_deparser_t.minSizeInBits() == 14, "for the egress deparser")
    && static_assert(egress_intrinsic_metadata_for_output_port_t.minSizeInBits() == 2, "for the port")
    && static_assert(pktgen_timer_header_t.minSizeInBytes() == 6, "from the packet generator")
    && static_assert(pktgen_port_down_header_t.minSizeInBytes() == 6, "from the packet generator")
    && static_assert(pktgen_recirc_header_t.minSizeInBytes() == 6, "from the packet generator")
    && static_assert(ptp_metadata_t.minSizeInBytes() == 8, "for the MAC")
    && static_assert(PORT_METADATA_SIZE == 64, "port metadata")
    && static_assert(DEVPORT_PIPE(9w0x181) == 3 && DEVPORT_PORT(9w0x181) == 1, "parts of a port")
    && static_assert(MIRROR_ID_WIDTH == 10 && QUEUE_ID_WIDTH == 5, "widths");

control Ingress(
    inout headers_t hdr,
    inout metadata_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    apply {
        ParserError_t range = error.CounterRange;
        QueueId_t queue = 31;
        L1ExclusionId_t first = 1;
        L2ExclusionId_t second = 511;
        ReplicationId_t replica = 0xFFFF;
        MulticastGroupId_t group = 7;
        ig_tm_md.qid = queue;
        ig_tm_md.level1_exclusion_id = first;
        ig_tm_md.level2_exclusion_id = second;
        ig_tm_md.rid = replica;
        ig_tm_md.mcast_grp_b = group;
        ig_tm_md.bypass_egress = (bit<1>) (range == error.CounterRange);
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
