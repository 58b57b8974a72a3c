// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Checksums: verified and updated, each under a condition, with and without the payload, and by another algorithm.

#include <v1model.p4>

header h_t {
    bit<8> kind;
    bit<8> wrong;
    bit<16> header_sum;
    bit<16> payload_sum;
    bit<16> word;
}

struct headers_t {
    h_t h;
}

struct metadata_t {}

parser ParseH(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(hdr.h.kind == 1, { hdr.h.word, 8w0, hdr.h.kind }, hdr.h.header_sum, HashAlgorithm.csum16);
        verify_checksum_with_payload(hdr.h.isValid() && hdr.h.kind == 2, { hdr.h.word }, hdr.h.payload_sum,
                                     HashAlgorithm.csum16);
    }
}

control Count(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 1;
        hdr.h.wrong = (bit<8>) std.checksum_error;
        hdr.h.word = hdr.h.word + 1;
    }
}

control NoEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {}
}

control Update(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.h.kind == 1, { hdr.h.word, 8w0, hdr.h.kind }, hdr.h.header_sum, HashAlgorithm.csum16);
        update_checksum_with_payload(hdr.h.kind == 2, { hdr.h.word }, hdr.h.payload_sum, HashAlgorithm.csum16);
        update_checksum(hdr.h.kind == 3, { hdr.h.word }, hdr.h.header_sum, HashAlgorithm.xor16);
    }
}

control EmitAll(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(ParseH(), Verify(), Count(), NoEgress(), Update(), EmitAll()) main;
