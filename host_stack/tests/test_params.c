/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* Algorithms and parameters by name. */
#include <string.h>

#include "cc_lab.h"

static void algorithms_are_found_by_name(void **state)
{
	(void)state;
	assert_int_equal(q_cc_abi(), Q_CC_ABI);
	assert_string_equal(q_cc_find("ecn")->name, "ecn");
	assert_string_equal(q_cc_find("becn")->name, "becn");
	assert_string_equal(q_cc_find("ecn-becn")->name, "ecn-becn");
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

static void what_makes_no_sense_is_refused_and_changes_nothing(void **state)
{
	static const char *const bad[][2] = {
		{"min_cwnd_pkts", "0"},       {"min_cwnd_pkts", ""},
		{"min_cwnd_pkts", "1 "},      {"min_cwnd_pkts", "-1"},
		{"min_cwnd_pkts", "1048577"}, {"min_cwnd_pkts", "4294967298"},
		{"min_cwnd_pkts", "1e3"},     {"hold_rule", "4"},
		{"hold_rule", "SRTT"},        {"min_cwnd_pkts", "99999999999999999999999"},
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
		cmocka_unit_test(what_makes_no_sense_is_refused_and_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
