// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A program that needs what entries of tables alone do not give: egress tells ingress of a long queue by a clone to the
// session of the port, which comes back as a recirculated packet, and ingress then drops the next packet to the port.
// Routes are exact, by the ingress port and the host. Meters, groups and the value set are those of a real program.

#include <core.p4>
#include <v1model.p4>

struct metadata_t {
    @field_list(1)
    bit<9>  congested_port;
    bit<1>  known;
    bit<2>  color;
}

#include "../../../examples/include/router.p4"

const bit<32> EGRESS_CLONE = 2;
const bit<32> RECIRCULATED = 4;

parser FeedbackParser(
        packet_in packet,
        out headers_t hdr,
        inout metadata_t meta,
        inout standard_metadata_t standard_metadata) {
    value_set<bit<8>>(4) protocols;

    state start {
        packet.extract(hdr.ethernet);
        packet.extract(hdr.ipv4);
        transition select(hdr.ipv4.protocol) {
            protocols: known;
            default: accept;
        }
    }

    state known {
        meta.known = 1;
        transition accept;
    }
}

control FeedbackIngress(
        inout headers_t hdr,
        inout metadata_t meta,
        inout standard_metadata_t standard_metadata) {
    register<bit<1>>(PORTS) congested;
    counter(PORTS, CounterType.packets_and_bytes) dropped;
    meter(PORTS, MeterType.bytes) rate;
    direct_meter<bit<2>>(MeterType.packets) class_rate;
    action_selector(HashAlgorithm.crc16, 16, 8) ways;

    action forward(bit<9> port, bit<48> destination_mac) {
        standard_metadata.egress_spec = port;
        hdr.ethernet.destination = destination_mac;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
    }

    table route {
        key = {
            standard_metadata.ingress_port: exact @name("ingress_port");
            hdr.ipv4.destination: exact @name("destination");
        }
        actions = { forward; NoAction; }
        default_action = NoAction();
        size = 4096;
    }

    action color() {
        class_rate.read(meta.color);
    }

    table class {
        key = { hdr.ipv4.dscp: ternary @name("dscp"); }
        actions = { color; NoAction; }
        default_action = NoAction();
        meters = class_rate;
    }

    action to_group(bit<16> group) {
        standard_metadata.mcast_grp = group;
    }

    action away(bit<9> port) {
        standard_metadata.egress_spec = port;
    }

    table divert {
        key = {
            hdr.ipv4.dscp: exact @name("dscp");
            hdr.ipv4.source: selector;
        }
        actions = { to_group; away; NoAction; }
        implementation = ways;
    }

    apply {
        mark_to_drop(standard_metadata);
        if (standard_metadata.instance_type == RECIRCULATED) {
            congested.write((bit<32>) meta.congested_port, 1);
        } else if (meta.known == 1 && hdr.ipv4.ttl > 1) {
            route.apply();
            class.apply();
            divert.apply();
            bit<2> port_color;
            rate.execute_meter((bit<32>) standard_metadata.egress_spec, port_color);
            bit<1> is_congested;
            congested.read(is_congested, (bit<32>) standard_metadata.egress_spec);
            if (is_congested == 1 || port_color == 2 || meta.color == 2) {
                congested.write((bit<32>) standard_metadata.egress_spec, 0);
                dropped.count((bit<32>) standard_metadata.egress_spec);
                mark_to_drop(standard_metadata);
            }
        }
    }
}

control FeedbackEgress(
        inout headers_t hdr,
        inout metadata_t meta,
        inout standard_metadata_t standard_metadata) {
    register<bit<19>>(PORTS) depth;
    register<bit<8>>(2) least_ttl;

    apply {
        if (standard_metadata.instance_type == EGRESS_CLONE) {
            meta.congested_port = standard_metadata.egress_port;
            recirculate_preserving_field_list(1);
        } else {
            bit<19> most;
            depth.read(most, (bit<32>) standard_metadata.egress_port);
            bit<8> ttl;
            least_ttl.read(ttl, 1);
            // A port without a depth, and a packet with a small TTL, tell nobody.
            if (most > 0 && standard_metadata.enq_qdepth >= most && hdr.ipv4.ttl >= ttl) {
                clone_preserving_field_list(CloneType.E2E, (bit<32>) standard_metadata.egress_port, 1);
            }
        }
    }
}

V1Switch(
    FeedbackParser(), RouterVerifyChecksum(), FeedbackIngress(), FeedbackEgress(), RouterUpdateChecksum(),
    RouterDeparser()
) main;
