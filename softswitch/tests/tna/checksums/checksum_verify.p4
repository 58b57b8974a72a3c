// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The parser verifies IPv4's checksum, with options too, and the deparser writes the new one.

#include <core.p4>
#include <tna.p4>
#include "../include/bare_egress.p4"
#include "../include/headers.p4"

header options_t {
    bit<32> word;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_t ipv4;
    options_t options;
}

struct metadata_t {
    bool wrong;
}

parser IngressParser(
    packet_in pkt,
    out headers_t hdr,
    out metadata_t md,
    out ingress_intrinsic_metadata_t ig_intr_md) {
    Checksum() sum;

    state start {
        md = {false};
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        pkt.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            EtherType.IPV4: ipv4;
            default: accept;
        }
    }
    state ipv4 {
        pkt.extract(hdr.ipv4);
        sum.add(hdr.ipv4);
        transition select(hdr.ipv4.ihl) {
            5: verify_it;
            6: options;
            default: reject;
        }
    }
    state options {
        pkt.extract(hdr.options);
        sum.add(hdr.options);
        transition verify_it;
    }
    state verify_it {
        // True where it is wrong.
        md.wrong = sum.verify();
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
    apply {
        if (md.wrong) {
            ig_dprsr_md.drop_ctl = 1;
        }
        if (hdr.ipv4.isValid()) {
            hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
        }
        ig_tm_md.ucast_egress_port = 2;
    }
}

control IngressDeparser(
    packet_out pkt,
    inout headers_t hdr,
    in metadata_t md,
    in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    Checksum() sum;
    apply {
        if (hdr.ipv4.isValid()) {
            // Without options theirs count as 0.
            hdr.ipv4.checksum = sum.update({
                hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.tos, hdr.ipv4.total_length, hdr.ipv4.id, hdr.ipv4.flags,
                hdr.ipv4.fragment, hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst, hdr.options.word});
        }
        pkt.emit(hdr);
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
