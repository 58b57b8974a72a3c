// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A TNA program: each packet of the packet generator makes it mark the next packet of the network.

#include <core.p4>
#include <tna.p4>
#include "../../../softswitch/tests/tna/include/bare_egress.p4"
#include "../../../softswitch/tests/tna/include/headers.p4"

const PortId_t GENERATOR = 68;

struct headers_t {
    pktgen_timer_header_t tick;
    ethernet_t ethernet;
    ipv4_t ipv4;
}

struct metadata_t {}

parser IngressParser(packet_in pkt, out headers_t hdr, out metadata_t md, out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        transition select(ig_intr_md.ingress_port) {
            GENERATOR: tick;
            default: ethernet;
        }
    }
    state tick {
        pkt.extract(hdr.tick);
        transition accept;
    }
    state ethernet {
        pkt.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            0x0800: ipv4;
            default: accept;
        }
    }
    state ipv4 {
        pkt.extract(hdr.ipv4);
        transition accept;
    }
}

control Ingress(
    inout headers_t hdr,
    inout metadata_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Register<bit<8>, bit<1>>(1) due;
    RegisterAction<bit<8>, bit<1>, bit<8>>(due) tick = {
        void apply(inout bit<8> value, out bit<8> was) {
            was = value;
            value = 1;
        }
    };
    RegisterAction<bit<8>, bit<1>, bit<8>>(due) take = {
        void apply(inout bit<8> value, out bit<8> was) {
            was = value;
            value = 0;
        }
    };

    Counter<bit<32>, PortId_t>(512, CounterType_t.PACKETS) marked;

    action forward(mac_t source, mac_t destination, PortId_t port) {
        hdr.ethernet.src = source;
        hdr.ethernet.dst = destination;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
        ig_tm_md.ucast_egress_port = port;
    }
    table routes {
        key = {
            hdr.ipv4.dst: lpm;
        }
        actions = {
            forward;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        size = 64;
    }
    apply {
        if (hdr.tick.isValid()) {
            tick.execute(0);
        } else if (hdr.ipv4.isValid() && hdr.ipv4.ttl > 1) {
            routes.apply();
            if (hdr.ipv4.tos[1:0] != 0) {
                if (take.execute(0) == 1) {
                    hdr.ipv4.tos[1:0] = 3;
                    marked.count(ig_tm_md.ucast_egress_port);
                }
            }
        }
    }
}

control IngressDeparser(
    packet_out pkt,
    inout headers_t hdr,
    in metadata_t md,
    in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    Checksum() ipv4_checksum;

    apply {
        if (hdr.ipv4.isValid()) {
            hdr.ipv4.checksum = ipv4_checksum.update({
                hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.tos, hdr.ipv4.total_length, hdr.ipv4.id, hdr.ipv4.flags,
                hdr.ipv4.fragment, hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst
            });
        }
        pkt.emit(hdr);
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
