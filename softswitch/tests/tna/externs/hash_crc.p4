// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The CRCs that have names, of the text for which everybody gives them.

#include <core.p4>
#include <tna.p4>
#include "../include/bare_egress.p4"

header text_t {
    bit<72> text;
}

header sums_t {
    bit<8> crc8;
    bit<16> crc16;
    bit<32> crc32;
    bit<64> crc64;
    bit<16> half;
    bit<24> more;
}

struct headers_t {
    text_t text;
    sums_t sums;
}

parser IngressParser(
    packet_in pkt,
    out headers_t hdr,
    out empty_t md,
    out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        pkt.extract(hdr.text);
        transition accept;
    }
}

control Ingress(
    inout headers_t hdr,
    inout empty_t md,
    in ingress_intrinsic_metadata_t ig_intr_md,
    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Hash<bit<8>>(HashAlgorithm_t.CRC8) crc8;
    Hash<bit<16>>(HashAlgorithm_t.CRC16) crc16;
    Hash<bit<32>>(HashAlgorithm_t.CRC32) crc32;
    Hash<bit<64>>(HashAlgorithm_t.CRC64) crc64;
    // Fewer bits are the lower ones, more begin from the lowest again.
    Hash<bit<16>>(HashAlgorithm_t.CRC32) half;
    Hash<bit<24>>(HashAlgorithm_t.CRC16) more;
    apply {
        hdr.sums.setValid();
        hdr.sums.crc8 = crc8.get(hdr.text);
        hdr.sums.crc16 = crc16.get({hdr.text.text});
        hdr.sums.crc32 = crc32.get({hdr.text.text[71:32], hdr.text.text[31:0]});
        hdr.sums.crc64 = crc64.get(hdr.text);
        hdr.sums.half = half.get(hdr.text);
        hdr.sums.more = more.get(hdr.text);
        ig_tm_md.ucast_egress_port = 2;
    }
}

control IngressDeparser(
    packet_out pkt,
    inout headers_t hdr,
    in empty_t md,
    in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    apply {
        pkt.emit(hdr);
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
