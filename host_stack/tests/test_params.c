/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* Algorithms and parameters by name. */
#include <string.h>

#include "cc_lab.h"

static void algorithms_are_found_by_name(void **state)
{
	const struct q_cc_ops *ops;

	(void)state;
	assert_int_equal(q_cc_abi(), Q_CC_ABI);
	assert_non_null(q_cc_find("plain"));
	for (q_u32 i = 0; (ops = q_cc_at(i)) != NULL; i++)
		assert_ptr_equal(q_cc_find(ops->name), ops);
	assert_null(q_cc_find("ecn-"));
	assert_null(q_cc_find(""));
}

static void defaults_are_the_literal_reading(void **state)
{
	struct q_cc_params params;

	(void)state;
	memset(&params, 0xff, sizeof(params));
	q_cc_params_default(&params);
	assert_int_equal(params.min_cwnd_pkts, 1);
	assert_int_equal(params.min_ssthresh_pkts, 2);
	assert_int_equal(params.max_cwnd_pkts, 0);
	assert_int_equal(params.initial_cwnd_pkts, 0);
	assert_int_equal(params.integer_cut, 1);
	assert_int_equal(params.hold_rule, Q_HOLD_SRTT);
	assert_int_equal(params.cwr_rule, Q_CWR_ISQ_MARKED);
	assert_int_equal(params.ece_opens_after_isq, 0);
	assert_int_equal(params.ece_guard_srtt, 0);
	assert_int_equal(params.isq_levels, 0);
	assert_int_equal(params.isq_cut_min_q16, Q_FRACTION_ONE / 8);
	assert_int_equal(params.isq_cut_max_q16, Q_FRACTION_ONE / 2);
	assert_int_equal(params.alpha_q16, 0);
	assert_int_equal(params.beta_q16, Q_FRACTION_ONE);
	assert_int_equal(params.c1_q16, Q_FRACTION_ONE / 16);
	assert_int_equal(params.c2_q16, Q_FRACTION_ONE / 4);
	assert_int_equal(params.initial_slow_start, 1);
	assert_int_equal(params.beta1_percent, 20);
	assert_int_equal(params.beta2_percent, 40);
	assert_int_equal(params.beta3_percent, 50);
	assert_int_equal(params.echo_rule, Q_ECHO_ONCE);
	assert_int_equal(params.g_q16, Q_FRACTION_ONE / 16);
	assert_null(q_cc_params_problem(&params));
}

static void every_value_can_be_set_and_read(void **state)
{
	const struct q_cc_param_info *info;
	struct q_cc_params params;
	q_u32 count = 0;

	(void)state;
	for (q_u32 i = 0; (info = q_cc_param_at(i)) != NULL; i++, count++) {
		if (!info->value_names)
			continue;
		for (q_u32 value = info->min; value <= info->max; value++) {
			q_cc_params_default(&params);
			assert_int_equal(q_cc_param_set(&params, info->name, info->value_names[value - info->min]), 0);
			assert_int_equal(q_cc_param_get(&params, info), value);
		}
	}
	/* Each field of the struct has its line in the table. */
	assert_int_equal(count * sizeof(q_u32), sizeof(params));
}

static void fractions_are_read_and_written_as_decimals(void **state)
{
	static const struct {
		const char *text;
		q_u32 value_q16;
		const char *written;
	} cases[] = {
		{"0.0625", 4096, "0.0625"},
		{"0.125", 8192, "0.125"},
		{"1", 65536, "1"},
		{"2.0", 131072, "2"},
		{"0.2", 13107, "0.2"},
		{"00.2500000", 16384, "0.25"},
		{"0.00001", 1, "0.00002"},
		{"0.33333333333333333", 21845, "0.33333"},
		{"1.99999", 131071, "1.99998"},
	};
	char text[Q_CC_PARAM_TEXT_BYTES];
	struct q_cc_params params;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct q_cc_param_info *info;

		q_cc_params_default(&params);
		assert_int_equal(q_cc_param_set(&params, "c2", cases[i].text), 0);
		assert_int_equal(params.c2_q16, cases[i].value_q16);
		for (q_u32 at = 0; (info = q_cc_param_at(at)) != NULL; at++)
			if (!strcmp(info->name, "c2"))
				q_cc_param_format(info, params.c2_q16, text);
		assert_string_equal(text, cases[i].written);
	}
}

/* For every parameter, its limits and what lies between. */
static void what_is_written_is_read_as_the_same(void **state)
{
	const struct q_cc_param_info *info;
	char text[Q_CC_PARAM_TEXT_BYTES];
	struct q_cc_params params;

	(void)state;
	for (q_u32 i = 0; (info = q_cc_param_at(i)) != NULL; i++)
		for (q_u32 value = info->min;; value += (info->max - info->min) / 997 + 1) {
			if (value > info->max)
				value = info->max;
			q_cc_params_default(&params);
			q_cc_param_format(info, value, text);
			assert_int_equal(q_cc_param_set(&params, info->name, text), 0);
			assert_int_equal(q_cc_param_get(&params, info), value);
			if (value == info->max)
				break;
		}
}

static void parameters_that_contradict_each_other_are_told(void **state)
{
	struct q_cc_params params;

	(void)state;
	q_cc_params_default(&params);
	params.alpha_q16 = params.beta_q16;
	assert_non_null(strstr(q_cc_params_problem(&params), "alpha"));
	q_cc_params_default(&params);
	params.isq_cut_min_q16 = params.isq_cut_max_q16 + 1;
	assert_non_null(strstr(q_cc_params_problem(&params), "isq_cut_min"));
}

static void what_makes_no_sense_is_refused_and_changes_nothing(void **state)
{
	static const char *const bad[][2] = {
		{"min_cwnd_pkts", "0"},
		{"min_cwnd_pkts", ""},
		{"min_cwnd_pkts", "1 "},
		{"min_cwnd_pkts", "-1"},
		{"min_cwnd_pkts", "1048577"},
		{"min_cwnd_pkts", "4294967298"},
		{"min_cwnd_pkts", "1e3"},
		{"hold_rule", "4"},
		{"hold_rule", "SRTT"},
		{"min_cwnd_pkts", "99999999999999999999999"},
		{"min_cwnd_pkts", "2.0"},
		{"c1", "0"},
		{"c1", "0.000001"},
		{"c1", "4.001"},
		{"c1", ".5"},
		{"c1", "1."},
		{"c1", "-0.1"},
		{"c1", "1e-2"},
		{"c1", "0.1x"},
		{"alpha", "2.1"},
		{"isq_cut_max", "1.1"},
		{"c1", "70000"},
	};
	struct q_cc_params params, defaults;

	(void)state;
	q_cc_params_default(&defaults);
	params = defaults;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(q_cc_param_set(&params, bad[i][0], bad[i][1]), -2);
	assert_int_equal(q_cc_param_set(&params, "min_cwnd", "1"), -1);
	assert_memory_equal(&params, &defaults, sizeof(params));
	assert_int_equal(q_cc_param_set(&params, "hold_rule", "3"), 0);
	assert_int_equal(params.hold_rule, Q_HOLD_OLD_WINDOW);
	assert_int_equal(q_cc_param_set(&params, "min_cwnd_pkts", "1048576"), 0);
	assert_int_equal(params.min_cwnd_pkts, 1048576);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(algorithms_are_found_by_name),
		cmocka_unit_test(defaults_are_the_literal_reading),
		cmocka_unit_test(every_value_can_be_set_and_read),
		cmocka_unit_test(fractions_are_read_and_written_as_decimals),
		cmocka_unit_test(what_is_written_is_read_as_the_same),
		cmocka_unit_test(parameters_that_contradict_each_other_are_told),
		cmocka_unit_test(what_makes_no_sense_is_refused_and_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
