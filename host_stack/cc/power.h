/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/*
 * A window to a real power, in fixed point, because BPF has no floating point. The relative error is below 2^-22
 * (tests/test_power.c), far below 2^-16, the resolution of an exponent.
 */
#ifndef QUENCH_POWER_H
#define QUENCH_POWER_H

#include "q_cc.h"

/* The largest result, in packets: as large as any window can be configured. */
#define Q_POWER_MAX_SHIFT 20

/* Position of the highest 1 bit. x > 0. */
static inline q_u32 q_log2_whole(q_u64 x)
{
	q_u32 bit = (q_u32)(x > 0xffffffffULL) << 5;

	bit |= (q_u32)(x >> bit > 0xffff) << 4;
	bit |= (q_u32)(x >> bit > 0xff) << 3;
	bit |= (q_u32)(x >> bit > 0xf) << 2;
	bit |= (q_u32)(x >> bit > 0x3) << 1;
	return bit | (q_u32)(x >> bit > 0x1);
}

/*
 * log2(x), x >= 1 in q24, with 26 fractional bits. Bit by bit: the square of the mantissa is 2 or more exactly if the
 * next bit is 1. No branch depends on x, so that the BPF verifier walks the loop once.
 */
static inline q_u64 q_log2_q26(q_u64 x_q24)
{
	q_u32 whole = q_log2_whole(x_q24);
	/* In [1, 2), with 31 fractional bits. */
	q_u64 mantissa = whole > 31 ? x_q24 >> (whole - 31) : x_q24 << (31 - whole);
	q_u64 log = whole - Q_CWND_SHIFT;

	for (int i = 0; i < 26; i++) {
		q_u64 square = mantissa * mantissa >> 31;
		q_u64 bit = square >> 32 & 1;

		mantissa = square >> bit;
		log = log << 1 | bit;
	}
	return log;
}

/* 2^x in q24, for x in q26 below Q_POWER_MAX_SHIFT. The exponential series of the fraction, up to its ninth power. */
static inline q_u64 q_exp2_q24(q_u64 x_q26)
{
	/* ln(2)^k / k!, with 32 fractional bits, from k = 9 down to 1. */
	static const q_u64 terms_q32[] = {437,      5676,      65510,      661577,    5726720,
					  41309550, 238388332, 1031764991, 2977044472};
	q_u64 fraction_q32 = (x_q26 & ((1ULL << 26) - 1)) << 6;
	q_u64 sum_q32 = 0;

	for (int i = 0; i < 9; i++)
		sum_q32 = (sum_q32 * fraction_q32 >> 32) + terms_q32[i];
	sum_q32 = (1ULL << 32) + (sum_q32 * fraction_q32 >> 32);
	return sum_q32 << (x_q26 >> 26 & 31) >> (32 - Q_CWND_SHIFT);
}

/*
 * window^exponent in q24, at most 2^Q_POWER_MAX_SHIFT packets. The window is at least one packet, the exponent in
 * [0, 2]. Exact for the exponents 0 and 1.
 */
Q_CC_SUBPROGRAM q_u64 q_power(q_u64 window_q24, q_u32 exponent_q16)
{
	q_u64 max_q24 = Q_CWND_ONE << Q_POWER_MAX_SHIFT;
	q_u64 log_q26;

	if (window_q24 < Q_CWND_ONE)
		window_q24 = Q_CWND_ONE;
	if (window_q24 > max_q24)
		window_q24 = max_q24;
	if (!exponent_q16)
		return Q_CWND_ONE;
	if (exponent_q16 == Q_FRACTION_ONE)
		return window_q24;
	log_q26 = q_log2_q26(window_q24) * exponent_q16 >> Q_FRACTION_BITS;
	return log_q26 >= (q_u64)Q_POWER_MAX_SHIFT << 26 ? max_q24 : q_exp2_q24(log_q26);
}

#endif /* QUENCH_POWER_H */
