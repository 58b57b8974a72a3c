// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A router that averages the depth of its queues, by which it marks, drops and copies packets.

#include <core.p4>
#include <v1model.p4>

const bit<8> NARROW = 4;
const bit<8> WIDE = 6;
const bit<32> INGRESS_CLONE = 1;
const bit<32> EGRESS_CLONE = 2;
const bit<32> RECIRCULATED = 4;
const bit<32> SESSION = 9;
// The form of a copy, instead of a report to the CPU: an answer by way of the second network.
const bit<2> ANSWER = 2;

header frame_t {
    bit<8> kind;
    bit<2> mark;
    bit<3> class;
    bit<11> length;
    bit<8> hops;
    bit<32> to;
    bit<16> sum;
}

header wide_t {
    bit<100> net;
    bit<28> host;
    bit<3> flags;
    bit<45> sent;
}

@controller_header("packet_in")
header report_t {
    bit<9> port;
    bit<23> waited;
    bit<32> average;
}

struct headers_t {
    report_t report;
    frame_t frame;
    wide_t wide;
}

struct metadata_t {
    @field_list(1)
    bit<32> average;
    @field_list(1)
    bit<2> copy;
    bit<32> first;
    bit<32> slope;
    bit<32> share;
    bool force;
}

parser Parse(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.frame);
        transition select(hdr.frame.kind) {
            NARROW: accept;
            WIDE: wide;
        }
    }
    state wide {
        packet.extract(hdr.wide);
        transition accept;
    }
}

#define SUMMED { hdr.frame.kind, hdr.frame.mark, hdr.frame.class, hdr.frame.length, hdr.frame.hops, hdr.frame.to }

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(hdr.frame.isValid(), SUMMED, hdr.frame.sum, HashAlgorithm.csum16);
    }
}

register<bit<19>>(4096) depths;

control Decide(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    register<bit<48>>(4096) averages;
    counter(4096, CounterType.packets_and_bytes) drawn;
    counter(4096, CounterType.packets) forced;
    meter(4096, MeterType.bytes) rates;
    bit<12> queue;
    bit<32> color;
    bit<16> draw;

    action use_segment(bit<32> first, bit<32> share, bit<32> slope, bit<2> copy, bool force) {
        meta.first = first;
        meta.share = share;
        meta.slope = slope;
        meta.copy = copy;
        meta.force = force;
    }

    table curve {
        key = {
            std.egress_spec: exact;
            meta.average: range;
        }
        actions = { use_segment; NoAction; }
        default_action = NoAction();
        size = 64;
    }

    apply {
        bit<19> depth;
        bit<48> before;
        queue = std.egress_spec ++ hdr.frame.class;
        depths.read(depth, (bit<32>) queue);
        averages.read(before, (bit<32>) queue);
        // An eighth of the distance to the depth; 16 bits are the fraction.
        int<48> distance = (int<48>) ((bit<48>) depth << 16) - (int<48>) before;
        bit<48> after = (bit<48>) ((int<48>) before + (distance >> 3));
        averages.write((bit<32>) queue, after);
        meta.average = after[31:0];
        rates.execute_meter((bit<32>) queue, color);
        if (curve.apply().hit) {
            bit<64> above = (bit<64>) (meta.average |-| meta.first) * (bit<64>) meta.slope;
            bit<32> share = meta.share |+| above[47:16];
            random(draw, 0, 0xffff);
            if ((bit<32>) draw < share || color == 2) {
                drawn.count((bit<32>) queue);
                if (meta.copy != 0) {
                    clone_preserving_field_list(CloneType.I2E, SESSION, 1);
                }
                if (hdr.frame.mark == 0 || meta.force) {
                    forced.count((bit<32>) queue);
                    mark_to_drop(std);
                } else {
                    hdr.frame.mark = 3;
                }
            }
        }
    }
}

control Before(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    counter(512, CounterType.packets_and_bytes) refused;
    direct_counter(CounterType.packets_and_bytes) routed;

    action forward(bit<9> port, bit<12> lost) {
        std.egress_spec = port;
        hdr.frame.length = hdr.frame.length - lost[10:0];
        routed.count();
    }

    action drop() {
        mark_to_drop(std);
        routed.count();
    }

    table narrow_route {
        key = { hdr.frame.to: lpm; }
        actions = { forward; drop; }
        default_action = drop();
        counters = routed;
    }

    action forward_wide(bit<9> port) {
        std.egress_spec = port;
    }

    table wide_route {
        key = {
            hdr.wide.net: lpm;
            hdr.wide.flags: exact;
        }
        actions = { forward_wide; NoAction; }
        default_action = NoAction();
    }

    action use_class(bit<3> class) {
        hdr.frame.class = class;
    }

    table classes {
        key = {
            hdr.frame.class: ternary;
            hdr.frame.length: ternary;
            std.ingress_port: optional;
        }
        actions = { use_class; NoAction; }
        default_action = NoAction();
    }

    apply {
        if (std.checksum_error == 1 || std.parser_error != error.NoError || hdr.frame.hops < 2) {
            refused.count((bit<32>) std.ingress_port);
            mark_to_drop(std);
            exit;
        }
        classes.apply();
        if (hdr.wide.isValid()) {
            if (wide_route.apply().miss) {
                refused.count((bit<32>) std.ingress_port);
                mark_to_drop(std);
                exit;
            }
            hdr.wide.sent = std.ingress_global_timestamp[44:0];
        } else if (!narrow_route.apply().hit) {
            exit;
        }
        hdr.frame.hops = hdr.frame.hops - 1;
        std.priority = hdr.frame.class;
        if (std.instance_type != RECIRCULATED) {
            Decide.apply(hdr, meta, std);
        }
    }
}

control After(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    register<bit<48>>(512) reported;
    bit<48> last;

    action report() {
        hdr.report.setValid();
        hdr.report.port = std.ingress_port;
        hdr.report.waited = std.deq_timedelta[22:0];
        hdr.report.average = meta.average;
        truncate(64);
    }

    apply {
        if (std.instance_type == INGRESS_CLONE && meta.copy == ANSWER) {
            hdr.frame.to = 0x0a000200 | (hdr.frame.to & 0xff);
            hdr.frame.kind = NARROW;
            hdr.frame.hops = 64;
            hdr.wide.setInvalid();
            truncate(32);
            recirculate_preserving_field_list(1);
        } else if (std.instance_type == INGRESS_CLONE || std.instance_type == EGRESS_CLONE) {
            report();
        } else {
            depths.write((bit<32>) (std.egress_port ++ std.priority), std.deq_qdepth);
            reported.read(last, (bit<32>) std.egress_port);
            if (std.egress_global_timestamp - last > 1000 && std.enq_qdepth > 0) {
                reported.write((bit<32>) std.egress_port, std.egress_global_timestamp);
                clone_preserving_field_list(CloneType.E2E, SESSION, 1);
            }
        }
    }
}

control Compute(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.frame.isValid(), SUMMED, hdr.frame.sum, HashAlgorithm.csum16);
    }
}

control Emit(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(Parse(), Verify(), Before(), After(), Compute(), Emit()) main;
