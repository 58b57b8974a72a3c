/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* The little of string.h and stdlib.h that names and numbers need, so that the library stays freestanding. */
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

/* A decimal number of 32 bits and nothing else. Returns 0, or -1. */
static inline int q_text_number(const char *text, q_u32 *value)
{
	q_u64 number = 0;

	if (!*text)
		return -1;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return -1;
		number = number * 10 + (q_u64)(*text - '0');
		if (number > 0xffffffffU)
			return -1;
	}
	*value = (q_u32)number;
	return 0;
}

#endif /* QUENCH_TEXT_H */
