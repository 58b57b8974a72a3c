/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* Multi-level BECN: the cut for an ISQ grows with its level, if the parameters say so. */
#include "cc_lab.h"

static const char *const isq_algos[] = {"becn", "ecn-becn"};

/* The window that an ISQ of that kind and level leaves of `cwnd` packets. */
static q_u64 after_isq(const char *algo, const struct q_cc_params *params, q_u32 cwnd, q_u8 kind, q_u8 level)
{
	struct lab lab;

	lab_start(&lab, algo, cwnd, 1);
	lab.params = *params;
	lab.event.isq_kind = kind;
	lab.event.isq_level = level;
	lab_process(&lab);
	assert_int_equal(lab.action.reacted, kind == Q_ISQ_MARKED ? Q_SIG_ISQ_MARKED : Q_SIG_ISQ_DROPPED);
	assert_int_equal(lab.cc.ssthresh_q24, lab.cc.cwnd_q24);
	return lab.cc.cwnd_q24;
}

static struct q_cc_params levels_on(void)
{
	struct q_cc_params params;

	q_cc_params_default(&params);
	params.isq_levels = 1;
	params.integer_cut = 0;
	return params;
}

static void without_the_parameter_every_level_halves(void **state)
{
	struct q_cc_params params;

	(void)state;
	q_cc_params_default(&params);
	for (size_t i = 0; i < 2; i++)
		for (q_u32 level = 0; level <= Q_ISQ_LEVEL_MAX; level++)
			assert_int_equal(after_isq(isq_algos[i], &params, 80, Q_ISQ_MARKED, (q_u8)level),
					 40 * Q_CWND_ONE);
}

static void the_cut_goes_straight_from_an_eighth_to_a_half(void **state)
{
	struct q_cc_params params = levels_on();

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		q_u64 last = 80 * Q_CWND_ONE;

		assert_int_equal(after_isq(isq_algos[i], &params, 80, Q_ISQ_MARKED, 0), 70 * Q_CWND_ONE);
		assert_int_equal(after_isq(isq_algos[i], &params, 80, Q_ISQ_MARKED, 127), 40 * Q_CWND_ONE);
		for (q_u32 level = 0; level <= Q_ISQ_LEVEL_MAX; level++) {
			q_u64 left = after_isq(isq_algos[i], &params, 80, Q_ISQ_MARKED, (q_u8)level);
			double line = 70 - 30.0 * level / 127;

			assert_true(left < last);
			assert_true((double)left / Q_CWND_ONE - line < 0.01);
			assert_true(line - (double)left / Q_CWND_ONE < 0.01);
			last = left;
		}
	}
}

static void whole_packets_if_told(void **state)
{
	struct q_cc_params params = levels_on();

	(void)state;
	params.integer_cut = 1;
	/* 7/8 of 21 are 18.375. */
	assert_int_equal(after_isq("becn", &params, 21, Q_ISQ_MARKED, 0), 18 * Q_CWND_ONE);
}

static void the_ends_of_the_line_are_parameters(void **state)
{
	struct q_cc_params params = levels_on();

	(void)state;
	assert_int_equal(q_cc_param_set(&params, "isq_cut_min", "0.25"), 0);
	assert_int_equal(q_cc_param_set(&params, "isq_cut_max", "0.75"), 0);
	assert_int_equal(after_isq("becn", &params, 80, Q_ISQ_MARKED, 0), 60 * Q_CWND_ONE);
	assert_int_equal(after_isq("becn", &params, 80, Q_ISQ_MARKED, 127), 20 * Q_CWND_ONE);
	/* A cut of everything leaves the least window. */
	assert_int_equal(q_cc_param_set(&params, "isq_cut_max", "1"), 0);
	params.min_ssthresh_pkts = 1;
	assert_int_equal(after_isq("becn", &params, 80, Q_ISQ_MARKED, 127), Q_CWND_ONE);
}

static void a_dropped_packet_halves_whatever_the_level(void **state)
{
	struct q_cc_params params = levels_on();

	(void)state;
	for (size_t i = 0; i < 2; i++)
		for (q_u32 level = 0; level <= Q_ISQ_LEVEL_MAX; level++)
			assert_int_equal(after_isq(isq_algos[i], &params, 80, Q_ISQ_DROPPED, (q_u8)level),
					 40 * Q_CWND_ONE);
}

static void a_small_cut_is_the_reaction_of_its_window_too(void **state)
{
	struct lab lab;

	(void)state;
	lab_start(&lab, "ecn-becn", 80, 1);
	lab.params = levels_on();
	lab.event.isq_kind = Q_ISQ_MARKED;
	lab_process(&lab);
	assert_int_equal(lab.cc.cwnd_q24, 70 * Q_CWND_ONE);
	lab.event.isq_kind = Q_ISQ_MARKED;
	lab.event.isq_level = 127;
	lab.event.mark_level = Q_MARK_ECE;
	lab_process(&lab);
	assert_int_equal(lab.action.suppressed, Q_SIG_ISQ_MARKED | Q_SIG_ECE);
	assert_int_equal(lab.cc.cwnd_q24, 70 * Q_CWND_ONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_the_parameter_every_level_halves),
		cmocka_unit_test(the_cut_goes_straight_from_an_eighth_to_a_half),
		cmocka_unit_test(whole_packets_if_told),
		cmocka_unit_test(the_ends_of_the_line_are_parameters),
		cmocka_unit_test(a_dropped_packet_halves_whatever_the_level),
		cmocka_unit_test(a_small_cut_is_the_reaction_of_its_window_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
