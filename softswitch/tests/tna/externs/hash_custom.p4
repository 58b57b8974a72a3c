// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// CRCs by polynomials of the program: the known answers for "123456789".

#include <core.p4>
#include <tna.p4>
#include "../include/bare_egress.p4"

header text_t {
    bit<72> text;
}

header sums_t {
    bit<32> castagnoli;
    bit<32> bzip2;
    bit<16> ccitt_false;
    bit<16> x25;
    bit<16> xmodem;
    bit<8> maxim;
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
    CRCPolynomial<bit<32>>(32w0x1EDC6F41, true, false, false, 32w0xFFFFFFFF, 32w0xFFFFFFFF) castagnoli;
    CRCPolynomial<bit<32>>(32w0x04C11DB7, false, false, false, 32w0xFFFFFFFF, 32w0xFFFFFFFF) bzip2;
    CRCPolynomial<bit<16>>(16w0x1021, false, false, false, 16w0xFFFF, 16w0) ccitt_false;
    CRCPolynomial<bit<16>>(16w0x1021, true, false, false, 16w0xFFFF, 16w0xFFFF) x25;
    CRCPolynomial<bit<16>>(16w0x1021, false, false, false, 16w0, 16w0) xmodem;
    CRCPolynomial<bit<8>>(8w0x31, true, false, false, 8w0, 8w0) maxim;
    Hash<bit<32>>(HashAlgorithm_t.CUSTOM, castagnoli) castagnoli_hash;
    Hash<bit<32>>(HashAlgorithm_t.CUSTOM, bzip2) bzip2_hash;
    Hash<bit<16>>(HashAlgorithm_t.CUSTOM, ccitt_false) ccitt_false_hash;
    Hash<bit<16>>(HashAlgorithm_t.CUSTOM, x25) x25_hash;
    Hash<bit<16>>(HashAlgorithm_t.CUSTOM, xmodem) xmodem_hash;
    Hash<bit<8>>(HashAlgorithm_t.CUSTOM, maxim) maxim_hash;
    apply {
        hdr.sums.setValid();
        hdr.sums.castagnoli = castagnoli_hash.get(hdr.text);
        hdr.sums.bzip2 = bzip2_hash.get(hdr.text);
        hdr.sums.ccitt_false = ccitt_false_hash.get(hdr.text);
        hdr.sums.x25 = x25_hash.get(hdr.text);
        hdr.sums.xmodem = xmodem_hash.get(hdr.text);
        hdr.sums.maxim = maxim_hash.get(hdr.text);
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
