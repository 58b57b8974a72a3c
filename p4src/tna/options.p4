// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// IPv4 headers with options, in both TNA programs. Apart from v1model because Tofino extracts nothing of variable length: options
// are ten words here, one field there.

#ifndef QUENCH_TNA_OPTIONS_P4
#define QUENCH_TNA_OPTIONS_P4

#include "../common/headers.p4"

header ipv4_option_word_t {
    bit<32> word;
}

// Headers with n words of options have the words n to 1.
struct ipv4_options_t {
    ipv4_option_word_t w10;
    ipv4_option_word_t w9;
    ipv4_option_word_t w8;
    ipv4_option_word_t w7;
    ipv4_option_word_t w6;
    ipv4_option_word_t w5;
    ipv4_option_word_t w4;
    ipv4_option_word_t w3;
    ipv4_option_word_t w2;
    ipv4_option_word_t w1;
}

// A header with n words of options starts at the state of word n. CHECK is applied to each word.
#define PARSE_IPV4_OPTIONS(CHECK) \
    state parse_option10 { packet.extract(hdr.options.w10); CHECK(w10) transition parse_option9; } \
    state parse_option9 { packet.extract(hdr.options.w9); CHECK(w9) transition parse_option8; } \
    state parse_option8 { packet.extract(hdr.options.w8); CHECK(w8) transition parse_option7; } \
    state parse_option7 { packet.extract(hdr.options.w7); CHECK(w7) transition parse_option6; } \
    state parse_option6 { packet.extract(hdr.options.w6); CHECK(w6) transition parse_option5; } \
    state parse_option5 { packet.extract(hdr.options.w5); CHECK(w5) transition parse_option4; } \
    state parse_option4 { packet.extract(hdr.options.w4); CHECK(w4) transition parse_option3; } \
    state parse_option3 { packet.extract(hdr.options.w3); CHECK(w3) transition parse_option2; } \
    state parse_option2 { packet.extract(hdr.options.w2); CHECK(w2) transition parse_option1; } \
    state parse_option1 { packet.extract(hdr.options.w1); CHECK(w1) transition parse_ipv4_payload; }

// Version 4, and a valid header length. KEY is applied to each length.
#define IPV4_OPTIONS_BY_LENGTH(KEY) \
            KEY(5): parse_ipv4_payload; \
            KEY(6): parse_option1; \
            KEY(7): parse_option2; \
            KEY(8): parse_option3; \
            KEY(9): parse_option4; \
            KEY(10): parse_option5; \
            KEY(11): parse_option6; \
            KEY(12): parse_option7; \
            KEY(13): parse_option8; \
            KEY(14): parse_option9; \
            KEY(15): parse_option10; \
            default: accept;

#define OF_ANY_TOTAL_LENGTH(ihl) (IPV4_VERSION, ihl, _)
#define ALONE(ihl) (IPV4_VERSION, ihl)

#define ADD_OPTION(w) checksum.add(hdr.options.w);
#define IGNORE_OPTION(w)

// An IPv4 header from outside, with its checksum. A total length that does not hold the header is refused (RFC 1812 section
// 5.2.2): a parser compares by masks.
#define PARSE_CHECKED_IPV4 \
    state parse_ipv4 { \
        packet.extract(hdr.ipv4); \
        checksum.add(hdr.ipv4); \
        transition select(hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.total_length) { \
            (IPV4_VERSION, _, 0x00 &&& 0xfff0): accept; \
            (IPV4_VERSION, _, 0x10 &&& 0xfffc): accept; \
            (IPV4_VERSION, 6, 0x14 &&& 0xfffc): accept; \
            (IPV4_VERSION, 7, 0x14 &&& 0xfffc): accept; \
            (IPV4_VERSION, 7, 0x18 &&& 0xfffc): accept; \
            (IPV4_VERSION, 8 &&& 8, 0x10 &&& 0xfff0): accept; \
            (IPV4_VERSION, 9, 0x20 &&& 0xfffc): accept; \
            (IPV4_VERSION, 10, 0x20 &&& 0xfff8): accept; \
            (IPV4_VERSION, 11, 0x20 &&& 0xfff8): accept; \
            (IPV4_VERSION, 11, 0x28 &&& 0xfffc): accept; \
            (IPV4_VERSION, 12 &&& 12, 0x20 &&& 0xfff0): accept; \
            (IPV4_VERSION, 13, 0x30 &&& 0xfffc): accept; \
            (IPV4_VERSION, 14, 0x30 &&& 0xfff8): accept; \
            (IPV4_VERSION, 15, 0x30 &&& 0xfff8): accept; \
            (IPV4_VERSION, 15, 0x38 &&& 0xfffc): accept; \
            IPV4_OPTIONS_BY_LENGTH(OF_ANY_TOTAL_LENGTH) \
        } \
    } \
    PARSE_IPV4_OPTIONS(ADD_OPTION)

// The words in the header's checksum. Missing ones count as 0.
#define IPV4_OPTION_FIELDS(options) \
      options.w10.word, options.w9.word, options.w8.word, options.w7.word, options.w6.word, \
      options.w5.word, options.w4.word, options.w3.word, options.w2.word, options.w1.word

#endif
