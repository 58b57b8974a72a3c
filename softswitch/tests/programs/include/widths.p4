// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef WIDTHS_P4
#define WIDTHS_P4

#define BYTE_BITS 8
#define BYTES(n) bit<((n) * BYTE_BITS)>
#define ADD(a, b) ((a) + (b))
#define TWICE(x) ADD(x, x)
#define FIELD(n) field_ ## n

#endif
