/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* Comparison of names, and reading and writing of decimal numbers, without libc. */
#ifndef QUENCH_TEXT_H
#define QUENCH_TEXT_H

#include "q_cc.h"

static inline int q_text_equal(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

/* Further digits after the point do not change the 16 bits of the fraction. */
#define Q_TEXT_FRACTION_DIGITS 9U

/*
 * A decimal number and nothing else, in units of 2^-fraction_bits (at most 16), rounded to the nearest. Without
 * fraction bits it has no point. Returns 0, or -1: not a number, or too large.
 */
static inline int q_text_decimal(const char *text, q_u32 fraction_bits, q_u32 *value)
{
	q_u64 whole = 0, fraction = 0, scale = 1;
	const char *start = text;
	q_u32 digits = 0;

	for (; *text >= '0' && *text <= '9'; text++) {
		whole = whole * 10 + (q_u64)(*text - '0');
		if (whole > 0xffffffffU)
			return -1;
	}
	if (text == start)
		return -1;
	if (*text == '.' && fraction_bits) {
		for (text++; *text >= '0' && *text <= '9'; text++, digits++)
			if (digits < Q_TEXT_FRACTION_DIGITS) {
				fraction = fraction * 10 + (q_u64)(*text - '0');
				scale *= 10;
			}
		if (!digits)
			return -1;
	}
	whole = (whole << fraction_bits) + ((fraction << fraction_bits) + scale / 2) / scale;
	if (*text || whole > 0xffffffffU)
		return -1;
	*value = (q_u32)whole;
	return 0;
}

/* The shortest of at most five decimals that q_text_decimal() reads as this value. Writes at most 17 bytes. */
static inline void q_text_format(q_u32 value, q_u32 fraction_bits, char *text)
{
	q_u64 one = 1ULL << fraction_bits;
	q_u64 scale = 100000, scaled = ((q_u64)value * scale + one / 2) >> fraction_bits;
	char digits[16];
	q_u32 count = 0, decimals = 5;

	while (decimals && scaled % 10 == 0) {
		scaled /= 10;
		decimals--;
	}
	do {
		digits[count++] = (char)('0' + scaled % 10);
		scaled /= 10;
	} while (scaled || count <= decimals);
	while (count) {
		*text++ = digits[--count];
		if (decimals && count == decimals)
			*text++ = '.';
	}
	*text = '\0';
}

#endif /* QUENCH_TEXT_H */
