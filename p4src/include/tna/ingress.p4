// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef QUENCH_TNA_INGRESS_P4
#define QUENCH_TNA_INGRESS_P4

#include "packet.p4"
#include "metadata.p4"
#include "counters.p4"
#include "quotable.p4"
#include "routing.p4"
#include "classification.p4"
#include "profile.p4"
#include "size.p4"
#include "state.p4"
#include "decision.p4"
#include "telling.p4"
#include "marking.p4"
#include "cpu_copy.p4"

control QuenchIngress(
        inout ingress_headers_t hdr,
        inout metadata_t meta,
        in ingress_intrinsic_metadata_t intrinsic,
        in ingress_intrinsic_metadata_from_parser_t from_parser,
        inout ingress_intrinsic_metadata_for_deparser_t for_deparser,
        inout ingress_intrinsic_metadata_for_tm_t for_tm) {
    Counter<bit<64>, port_t>(MAX_PORTS, CounterType_t.PACKETS_AND_BYTES) port_seen;
    Counter<bit<64>, port_t>(MAX_PORTS, CounterType_t.PACKETS_AND_BYTES) port_dropped_early;
    Counter<bit<64>, port_t>(MAX_PORTS, CounterType_t.PACKETS_AND_BYTES) port_dropped_forced;
    Hash<bit<24>>(HashAlgorithm_t.IDENTITY) place_bits;

    Quotable() quotable;
    Routing() routing;
    Classification() classification;
    PacketSize() packet_size;
    QueueProfile() queue_profile;
    ProfileParameters() profile;
    StateOperands() state_operands;
    QueueState() queue_state;
    Decision(true) arrival_decision;
    Telling() telling;
    Marking() marking;
    Clock() clock;
    AddressCopy() address_copy;
    DecisionCounters() counters;

    bit<1> has_profile;
    bit<1> stores;
    bit<32> first = 0;
    bit<32> stamp = 0;
    dscp_t missing;
    dscp_t told_dscp;

    action drop() {
        for_deparser.drop_ctl = 1;
    }

    action find_place_of_state() {
        meta.copy.place = hdr.state.place;
    }

    // The identity "hash" puts fields together: no ALU does that across containers.
    action find_place() {
        meta.copy.place = place_bits.get({ intrinsic.ingress_port, meta.egress_port, meta.queue, 3w0 });
    }

    action send_to_port() {
        for_tm.ucast_egress_port = hdr.packet_out.egress_port;
    }

    action compare_told() {
        missing = meta.profile.told_mask & ~meta.dscp;
        told_dscp = meta.dscp | meta.profile.told_mask;
    }

    action copy() {
        for_deparser.mirror_type = MIRROR_COPY;
    }

    action add_bridge() {
        hdr.bridge.setValid();
        hdr.bridge.kind = KIND_PACKET;
        hdr.bridge.profile = meta.profile_id;
        hdr.bridge.place = meta.copy.place;
        hdr.bridge.size_code = meta.decision.size_code;
        hdr.bridge.active = meta.profile.active;
        hdr.bridge.quotable = meta.quotable;
    }

    apply {
        for_deparser.drop_ctl = 0;
        meta.decision.verdict = VERDICT_NONE;
        meta.telling = TELLING_NOBODY;
        stores = 0;
        has_profile = 0;

        state_operands.apply(hdr.state, hdr.state.isValid(), from_parser.global_tstamp, first, stamp);
        clock.apply(from_parser.global_tstamp, meta.copy.time_high, meta.copy.time_low);
        if (hdr.state.isValid()) {
            stores = 1;
            find_place_of_state();
            drop();
        } else if (hdr.packet_out.isValid() && hdr.packet_out.submit_to_ingress == 0) {
            send_to_port();
        } else if (meta.is_ip == 0 || meta.checksum_error) {
            drop();
        } else {
            quotable.apply(hdr, meta);
            routing.apply(hdr, meta, for_tm);
            classification.apply(meta, for_tm);
            packet_size.apply(meta);
            if (meta.routed == 1) {
                port_seen.count(meta.egress_port);
                find_place();
                queue_profile.apply(meta, has_profile);
                if (has_profile == 1) {
                    profile.apply(meta);
                }
            } else {
                drop();
            }
        }

        queue_state.apply(meta.copy.place, stores, first, stamp, meta.copy.average);
        meta.copy.depth = 0;      // not known here

        if (meta.profile.active == 1) {
            arrival_decision.apply(meta);
            compare_told();
            // A packet from the CPU would be copied with the header in which it came.
            if (!hdr.packet_out.isValid()) {
                telling.apply(meta, hdr.ipv6.isValid(), missing);
            }
            if (meta.telling == TELLING_SOURCE) {
                address_copy.apply(meta, hdr.ipv4.ihl);
                copy();
            }
            marking.apply(hdr.ipv4, hdr.ipv6, meta, told_dscp);
            counters.apply(meta, meta.egress_port);
            if (meta.decision.verdict == VERDICT_DROP_FORCED) {
                port_dropped_forced.count(meta.egress_port);
                drop();
            } else if (meta.decision.verdict == VERDICT_DROP_EARLY) {
                port_dropped_early.count(meta.egress_port);
                drop();
            }
        }
        add_bridge();
    }
}

#endif
