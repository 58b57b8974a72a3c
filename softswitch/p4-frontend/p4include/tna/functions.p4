// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Functions.

extern T max<T>(in T t1, in T t2);
extern T min<T>(in T t1, in T t2);

// The lower half of src1 ++ src2 shifted right.
extern void funnel_shift_right<T>(inout T dst, in T src1, in T src2, int shift_amount);

// Makes a field of metadata invalid, as it is when no parser state or action has set it; `is_validated` asks for it.
extern void invalidate<T>(in T field);
extern bool is_validated<T>(in T field);

// The port metadata (phase 0) in the user's own format.
extern T port_metadata_unpack<T>(packet_in pkt);

extern bit<32> sizeInBits<H>(in H h);
extern bit<32> sizeInBytes<H>(in H h);
