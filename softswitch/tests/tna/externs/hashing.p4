// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Hashes, random numbers, and the groups of an action selector.

#include "../include/frame.p4"


control Ingress(
    inout headers_t hdr,
    inout metadata_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Hash<bit<16>>(HashAlgorithm_t.CRC16) plain;
    CRCPolynomial<bit<32>>(
        coeff = 32w0x04C11DB7, reversed = true, msb = false, extended = false, init = 0xFFFFFFFF, xor = 0xFFFFFFFF) castagnoli;
    Hash<bit<32>>(HashAlgorithm_t.CUSTOM, castagnoli) custom;
    @symmetric("hdr.ipv4.src", "hdr.ipv4.dst")
    Hash<bit<14>>(HashAlgorithm_t.CRC32) both_ways;
    Random<bit<16>>() random;

    Hash<bit<51>>(HashAlgorithm_t.IDENTITY) member_hash;
    ActionProfile(1024) members;
    ActionSelector(members, member_hash, SelectorMode_t.FAIR, 64, 128) groups;

    action forward(PortId_t port) {
        ig_tm_md.ucast_egress_port = port;
    }
    table routes {
        key = {
            hdr.ipv4.dst: lpm;
            hdr.ipv4.src: selector;
            hdr.ipv4.protocol: selector;
        }
        actions = {
            forward;
            @defaultonly NoAction;
        }
        implementation = groups;
        const default_action = NoAction();
        size = 512;
    }
    apply {
        md.index = plain.get({hdr.ipv4.src, hdr.ipv4.dst, 8w6});
        md.value = custom.get(hdr.ipv4.src ++ hdr.ipv4.dst);
        ig_tm_md.level1_mcast_hash = (bit<13>) both_ways.get({hdr.ipv4.src, hdr.ipv4.dst});
        if (random.get() == 0) {
            md.flag = true;
        }
        routes.apply();
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
