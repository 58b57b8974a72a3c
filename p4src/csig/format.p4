// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The tags of CSIG, the units of their numbers, and the treatment of tags by a port, in both programs.

#ifndef CSIG_FORMAT_P4
#define CSIG_FORMAT_P4

#include "../common/types.p4"

// The type of compact tags in use. None is assigned to wide ones: this one is for local experiments (IEEE 802).
const bit<16> ETHERTYPE_CSIG_COMPACT = 0x9900;
const bit<16> ETHERTYPE_CSIG_WIDE = 0x88b5;

const bit<16> VLAN_BYTES = 4;
const bit<16> CSIG_COMPACT_BYTES = 4;
const bit<16> CSIG_WIDE_BYTES = 8;

typedef bit<20> csig_value_t;
#define CSIG_VALUE_BITS 20
const csig_value_t CSIG_VALUE_MAX = 0xfffff;
typedef bit<5> csig_bucket_t;
typedef bit<16> csig_locator_t;
typedef bit<7> compact_locator_t;

// The number of a tag. Of the first two a smaller one is worse, of the others a larger one.
enum bit<4> csig_type_t {
    BANDWIDTH    = 0,    // available: units of 8 Mb/s
    PART         = 1,    // available, of the link's: units of 2^-20
    HOP_DELAY    = 2,    // from arrival to departure: units of 2^delay_shift ns
    QUEUE_DELAY  = 3     // the time that the link needs for what waits: the same units
}

enum bit<2> departure_t {
    STRIP  = 0,
    PASS   = 1,
    UPDATE = 2
}

// The tag control information and the type of what follows (IEEE 802.1Q).
header vlan_t {
    bit<16> tag;
    bit<16> ether_type;
}

// Both tags stand behind an EtherType of their own, and end with the type of what follows.
header csig_compact_t {
    bit<3>            type;
    bit<1>            reserved;
    csig_bucket_t     bucket;
    compact_locator_t locator;
    bit<16>           ether_type;
}

header csig_wide_t {
    csig_locator_t locator;
    bit<4>         type;
    csig_value_t   value;
    bit<8>         reserved;
    bit<16>        ether_type;
}

#endif
