/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* Tests of how the window begins, grows, and shrinks when idle. */
#include "cc_lab.h"

static void slow_start_doubles_up_to_the_threshold(void **state)
{
	(void)state;
	FOR_EACH(algo, window_algos)
	{
		struct lab lab;

		lab_start(&lab, algo, 4, 1);
		lab.cc.ssthresh_q24 = 13 * Q_CWND_ONE;
		lab_round_trip(&lab);
		assert_int_equal(lab_cwnd(&lab), 8);
		lab_round_trip(&lab);
		assert_int_equal(lab_cwnd(&lab), 13);
	}
}

static void congestion_avoidance_adds_one_packet_per_window(void **state)
{
	(void)state;
	FOR_EACH(algo, window_algos)
	{
		struct lab lab;

		lab_start(&lab, algo, 10, 1);
		for (q_u32 round = 1; round <= 20; round++) {
			lab_round_trip(&lab);
			/* Adding 1/cwnd per ACK falls a little short of one packet per window. */
			assert_in_range(lab.cc.cwnd_q24, (10 + round) * Q_CWND_ONE - round * Q_CWND_ONE / 10,
					(10 + round) * Q_CWND_ONE);
		}
	}
}

/* A stretch of 2^16 packets is no less than one of 2^16 - 1. */
static void an_ack_of_many_packets_counts_as_many(void **state)
{
	const q_u32 stretches[] = {0xffff, 0x10000, 0x10001, 0x20000, 0xffffffff};

	(void)state;
	FOR_EACH(algo, window_algos)
	{
		for (size_t i = 0; i < sizeof(stretches) / sizeof(stretches[0]); i++) {
			struct lab lab;

			lab_start(&lab, algo, 10, 1);
			lab.cc.ssthresh_q24 = Q_CWND_ONE << 30;
			lab_ack(&lab, stretches[i], RTT_US);
			assert_int_equal(lab_cwnd(&lab), 10 + 0xffff);
		}
	}
}

static void nothing_grows_when_the_application_is_the_limit(void **state)
{
	(void)state;
	FOR_EACH(algo, window_algos)
	{
		struct lab lab;

		lab_start(&lab, algo, 10, 1);
		lab.event.flags = 0;
		lab_round_trip(&lab);
		assert_int_equal(lab.cc.cwnd_q24, 10 * Q_CWND_ONE);
	}
}

static void growth_stops_at_the_limit_and_a_lower_limit_takes_nothing(void **state)
{
	struct lab lab;

	(void)state;
	lab_start(&lab, "becn", 10, 1);
	lab.params.max_cwnd_pkts = 11;
	for (int i = 0; i < 5; i++)
		lab_round_trip(&lab);
	assert_int_equal(lab.cc.cwnd_q24, 11 * Q_CWND_ONE);
	lab.params.max_cwnd_pkts = 5;
	lab_round_trip(&lab);
	assert_int_equal(lab.cc.cwnd_q24, 11 * Q_CWND_ONE);
}

static void idle_halves_per_timeout_down_to_the_restart_window(void **state)
{
	struct lab lab;

	(void)state;
	lab_start(&lab, "becn", 100, 1);
	q_cc_on_idle(&lab.cc, 2, 10);
	assert_int_equal(lab_cwnd(&lab), 25);
	q_cc_on_idle(&lab.cc, 4000000000U, 10);
	assert_int_equal(lab_cwnd(&lab), 10);
	lab_start(&lab, "becn", 4, 1);
	q_cc_on_idle(&lab.cc, 3, 10);
	assert_int_equal(lab_cwnd(&lab), 4);
}

static void initial_window_is_a_parameter(void **state)
{
	struct q_cc_params params;
	struct q_cc cc;

	(void)state;
	q_cc_params_default(&params);
	q_cc_init(&cc, &params, 10);
	assert_int_equal(cc.cwnd_q24, 10 * Q_CWND_ONE);
	params.initial_cwnd_pkts = 1;
	q_cc_init(&cc, &params, 10);
	assert_int_equal(cc.cwnd_q24, Q_CWND_ONE);
	params.max_cwnd_pkts = 4;
	params.initial_cwnd_pkts = 0;
	q_cc_init(&cc, &params, 10);
	assert_int_equal(cc.cwnd_q24, 4 * Q_CWND_ONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slow_start_doubles_up_to_the_threshold),
		cmocka_unit_test(congestion_avoidance_adds_one_packet_per_window),
		cmocka_unit_test(an_ack_of_many_packets_counts_as_many),
		cmocka_unit_test(nothing_grows_when_the_application_is_the_limit),
		cmocka_unit_test(growth_stops_at_the_limit_and_a_lower_limit_takes_nothing),
		cmocka_unit_test(idle_halves_per_timeout_down_to_the_restart_window),
		cmocka_unit_test(initial_window_is_a_parameter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
