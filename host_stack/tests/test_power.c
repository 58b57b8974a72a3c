/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* Powers in fixed point against those of libm. */
#include <math.h>

#include "cc_lab.h"
#include "power.h"

#define MAX_RELATIVE_ERROR 0x1p-22
#define MAX_PKTS (1U << Q_POWER_MAX_SHIFT)

static double to_double(q_u64 q24)
{
	return ldexp((double)q24, -Q_CWND_SHIFT);
}

static double relative_error(q_u64 window_q24, q_u32 exponent_q16)
{
	double wanted = pow(to_double(window_q24), ldexp(exponent_q16, -Q_FRACTION_BITS));

	return fabs(to_double(q_power(window_q24, exponent_q16)) - wanted) / wanted;
}

static void the_error_is_below_its_bound(void **state)
{
	uint64_t random = 0x9e3779b97f4a7c15ULL;
	double worst = 0;

	(void)state;
	for (int i = 0; i < 2000000; i++) {
		/* Windows of every magnitude from 1 packet on alike, and those just above 1, where the logarithm is
		 * small. */
		int magnitude = (int)(next_random(&random) % Q_POWER_MAX_SHIFT);
		q_u64 window = (Q_CWND_ONE << magnitude) + (next_random(&random) >> 40 << magnitude);
		q_u32 exponent = (q_u32)(next_random(&random) % (2 * Q_FRACTION_ONE + 1));

		if (i % 4 == 0)
			window = Q_CWND_ONE + (next_random(&random) >> (40 + i / 4 % 24));
		if (pow(to_double(window), ldexp(exponent, -Q_FRACTION_BITS)) < MAX_PKTS)
			worst = fmax(worst, relative_error(window, exponent));
	}
	print_message("largest relative error: 2^%.2f\n", log2(worst));
	assert_true(worst < MAX_RELATIVE_ERROR);
	/* The sweep did something. */
	assert_true(worst > 0);
}

static void whole_exponents_are_exact(void **state)
{
	(void)state;
	for (q_u64 window = Q_CWND_ONE; window < 5 * Q_CWND_ONE; window += 12345) {
		assert_int_equal(q_power(window, 0), Q_CWND_ONE);
		assert_int_equal(q_power(window, Q_FRACTION_ONE), window);
	}
	for (q_u64 pkts = 1; pkts <= 512; pkts *= 2)
		assert_int_equal(q_power(pkts * Q_CWND_ONE, 2 * Q_FRACTION_ONE), pkts * pkts * Q_CWND_ONE);
}

static void results_are_bounded(void **state)
{
	(void)state;
	assert_int_equal(q_power(~0ULL, 2 * Q_FRACTION_ONE), MAX_PKTS * Q_CWND_ONE);
	assert_int_equal(q_power(~0ULL, Q_FRACTION_ONE), MAX_PKTS * Q_CWND_ONE);
	assert_int_equal(q_power(2000 * Q_CWND_ONE, 2 * Q_FRACTION_ONE), MAX_PKTS * Q_CWND_ONE);
	/* No window is less than a packet. */
	assert_int_equal(q_power(0, Q_FRACTION_ONE / 2), Q_CWND_ONE);
}

/* A larger window, or a larger exponent, never gives a smaller power by more than the error. */
static void it_grows_with_both_arguments(void **state)
{
	(void)state;
	for (q_u32 exponent = 1; exponent < 2 * Q_FRACTION_ONE; exponent += 997)
		for (q_u64 window = Q_CWND_ONE; window < 100 * Q_CWND_ONE; window += Q_CWND_ONE / 7) {
			q_u64 here = q_power(window, exponent);
			q_u64 slack = here >> 20;

			assert_true(q_power(window + Q_CWND_ONE / 100, exponent) + slack >= here);
			assert_true(q_power(window, exponent + 1) + slack >= here);
			assert_true(here >= Q_CWND_ONE);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_error_is_below_its_bound),
		cmocka_unit_test(whole_exponents_are_exact),
		cmocka_unit_test(results_are_bounded),
		cmocka_unit_test(it_grows_with_both_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
