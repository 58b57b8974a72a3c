// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Widths and numbers that only the TNA program has. The others are in ../format.p4.

#ifndef CSIG_TNA_TYPES_P4
#define CSIG_TNA_TYPES_P4

#include "../../common/types.p4"
#include "../format.p4"

// The number of a tag, in the width of an ALU.
typedef bit<32> csig_number_t;

// Differences of times count in 32 bits: 4.29 s.
typedef bit<48> time_ns_t;
typedef bit<32> time32_ns_t;

// The number that links of one rate and one unit of delays have, in the rows of delay.p4.
typedef bit<8> link_t;
#define LINKS 16

// The depth of a queue, in cells of 80 bytes, as two digits.
#define LOW_CELLS_OF(cells) cells[8:0]
#define HIGH_CELLS_OF(cells) cells[18:9]
#define LOW_CELLS_ROWS (LINKS * 512)
#define HIGH_CELLS_ROWS (LINKS * 1024)

// A sample of the load is in 64ths of a byte.
#define SAMPLE_SHIFT 6

// The header and the check sequence of Ethernet.
const bit<16> FRAME_BYTES = 18;

// The link's whole bandwidth as a part: one more than a tag can say.
const csig_number_t WHOLE_PART = 0x100000;
const csig_number_t CSIG_NUMBER_MAX = (csig_number_t) CSIG_VALUE_MAX;

#endif
