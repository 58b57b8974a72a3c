// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Widths that only csig.p4 has. The others are in format.p4.

#ifndef CSIG_TYPES_P4
#define CSIG_TYPES_P4

#include "../datacentre/types.p4"
#include "format.p4"

// The time in which the port sends a byte: nanoseconds with 32 fractional bits.
typedef bit<48> byte_time_t;
#define BYTE_TIME_FRACTION_BITS 32

#endif
