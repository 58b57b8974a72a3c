// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Counters, meters, filters and WRED, direct and not.

#include "../include/frame.p4"

control Ingress(
    inout headers_t hdr,
    inout metadata_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Counter<bit<64>, bit<16>>(1024, CounterType_t.PACKETS_AND_BYTES) flows;
    Counter<bit<32>, PortId_t>(size = 512, type = CounterType_t.PACKETS) ports;
    DirectCounter<bit<64>>(CounterType_t.BYTES) host_bytes;
    Meter<bit<16>>(1024, MeterType_t.BYTES) rates;
    DirectMeter(MeterType_t.PACKETS, 2, 1, 0) source_rates;
    Lpf<bit<32>, bit<16>>(1024) average;
    Wred<bit<32>, bit<16>>(1024, 1, 0) early;
    DirectLpf<bit<32>>() host_average;

    action count_host(bit<16> index) {
        host_bytes.count();
        md.index = index;
    }
    table hosts {
        key = {
            hdr.ipv4.dst: exact;
        }
        actions = {
            count_host;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        counters = host_bytes;
        size = 1024;
    }
    action limit() {
        md.colour = source_rates.execute();
    }
    table sources {
        key = {
            hdr.ipv4.src: ternary;
        }
        actions = {
            limit;
        }
        meters = source_rates;
        size = 128;
    }
    action smooth() {
        md.value = host_average.execute(hdr.ipv4.dst);
    }
    table smoothed {
        key = {
            hdr.ethernet.dst: exact;
        }
        actions = {
            smooth;
        }
        filters = host_average;
        size = 128;
    }
    apply {
        hosts.apply();
        sources.apply();
        smoothed.apply();
        flows.count(md.index);
        ports.count(index = ig_intr_md.ingress_port, adjust_byte_count = 4);
        if (rates.execute(md.index) == (bit<8>) MeterColor_t.RED) {
            ig_dprsr_md.drop_ctl = 1;
        }
        bit<32> mean = average.execute(md.value, md.index);
        bit<8> chosen = early.execute(mean, md.index);
        if (chosen != 0) {
            ig_dprsr_md.drop_ctl = 1;
        }
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
