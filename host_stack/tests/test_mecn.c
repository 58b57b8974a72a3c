/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* mecn, level by level. */
#include "cc_lab.h"

/* An ACK of one packet that echoes `level`. */
static void ack_level(struct lab *lab, enum q_mark_level level)
{
	lab->event.mark_level = (q_u8)level;
	lab_ack(lab, 1, 1000);
}

/* An ACK that shows a loss. */
static void ack_loss(struct lab *lab, enum q_mark_level level)
{
	lab->event.mark_level = (q_u8)level;
	lab->event.flags |= Q_EV_LOSS;
	lab_process(lab);
}

static void each_level_takes_its_share(void **state)
{
	static const struct {
		enum q_mark_level level;
		q_u32 signal;
		q_u32 from_pkts;
		q_u32 to_pkts;
	} cases[] = {
		{Q_MARK_INCIPIENT, Q_SIG_INCIPIENT, 40, 32},
		{Q_MARK_MODERATE, Q_SIG_MODERATE, 40, 24},
		/* Whole packets, rounded down as every cut. */
		{Q_MARK_INCIPIENT, Q_SIG_INCIPIENT, 21, 16},
		{Q_MARK_MODERATE, Q_SIG_MODERATE, 21, 12},
		/* No share rounds to a packet less than it leaves. */
		{Q_MARK_INCIPIENT, Q_SIG_INCIPIENT, 1000, 800},
		{Q_MARK_MODERATE, Q_SIG_MODERATE, 1000, 600},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct lab lab;

		lab_start(&lab, "mecn", cases[i].from_pkts, 1);
		ack_level(&lab, cases[i].level);
		assert_int_equal(lab.action.reacted, cases[i].signal);
		assert_int_equal(lab.action.suppressed, 0);
		assert_int_equal(lab.action.queue_cwr, 1);
		assert_int_equal(lab.cc.cwnd_q24, cases[i].to_pkts * Q_CWND_ONE);
		assert_int_equal(lab.cc.ssthresh_q24, cases[i].to_pkts * Q_CWND_ONE);
	}
}

static void an_exact_cut_keeps_the_fraction(void **state)
{
	struct lab lab;

	(void)state;
	lab_start(&lab, "mecn", 21, 1);
	lab.params.integer_cut = 0;
	ack_level(&lab, Q_MARK_INCIPIENT);
	assert_in_range(lab.cc.cwnd_q24, 168 * Q_CWND_ONE / 10, 168 * Q_CWND_ONE / 10 + Q_CWND_ONE / 1000);
}

static void a_loss_takes_half_and_is_no_business_of_the_receiver(void **state)
{
	struct lab lab;

	(void)state;
	lab_start(&lab, "mecn", 40, 1);
	ack_loss(&lab, Q_MARK_NONE);
	assert_int_equal(lab.action.reacted, Q_SIG_LOSS);
	assert_int_equal(lab.action.queue_cwr, 0);
	assert_int_equal(lab_cwnd(&lab), 20);
	assert_int_equal(lab_ssthresh(&lab), 20);
}

static void the_shares_are_parameters(void **state)
{
	static const char *const names[] = {"beta1_percent", "beta2_percent", "beta3_percent"};
	static const char *const values[] = {"10", "30", "60"};
	static const q_u32 expected_pkts[] = {90, 70, 40};

	(void)state;
	for (q_u32 i = 0; i < 3; i++) {
		struct lab lab;

		lab_start(&lab, "mecn", 100, 1);
		for (q_u32 j = 0; j < 3; j++)
			assert_int_equal(q_cc_param_set(&lab.params, names[j], values[j]), 0);
		if (i == 2)
			ack_loss(&lab, Q_MARK_NONE);
		else
			ack_level(&lab, i ? Q_MARK_MODERATE : Q_MARK_INCIPIENT);
		assert_int_equal(lab_cwnd(&lab), expected_pkts[i]);
	}
}

static void every_share_in_percent_leaves_whole_packets_whole(void **state)
{
	(void)state;
	for (q_u32 percent = 1; percent <= 99; percent++) {
		struct lab lab;

		lab_start(&lab, "mecn", 100, 1);
		lab.params.beta1_percent = percent;
		ack_level(&lab, Q_MARK_INCIPIENT);
		assert_int_equal(lab_cwnd(&lab), 100 - percent);
	}
}

static void shares_out_of_order_are_refused(void **state)
{
	struct q_cc_params params;

	(void)state;
	q_cc_params_default(&params);
	params.beta1_percent = 41;
	assert_non_null(q_cc_params_problem(&params));
	params.beta2_percent = 41;
	assert_null(q_cc_params_problem(&params));
	params.beta3_percent = 40;
	assert_non_null(q_cc_params_problem(&params));
}

/* Also a severer level takes nothing more, and a loss neither: one reaction per window of data. */
static void one_reaction_per_window_whatever_follows(void **state)
{
	struct lab lab;

	(void)state;
	lab_start(&lab, "mecn", 40, 1);
	ack_level(&lab, Q_MARK_INCIPIENT);
	assert_int_equal(lab_cwnd(&lab), 32);
	ack_level(&lab, Q_MARK_INCIPIENT);
	assert_int_equal(lab.action.suppressed, Q_SIG_INCIPIENT);
	ack_level(&lab, Q_MARK_MODERATE);
	assert_int_equal(lab.action.suppressed, Q_SIG_MODERATE);
	ack_loss(&lab, Q_MARK_NONE);
	assert_int_equal(lab.action.suppressed, Q_SIG_LOSS);
	assert_int_equal(lab.action.reacted, 0);
	assert_int_equal(lab.action.queue_cwr, 0);
	assert_int_equal(lab.cc.cwnd_q24, 32 * Q_CWND_ONE);
	/* 37 of the 40 packets are still in flight; the window is over with the first packet sent after the cut. */
	lab_ack(&lab, 37, 1000);
	lab_ack(&lab, 1, 1000);
	assert_int_equal(lab_cwnd(&lab), 33);
	ack_level(&lab, Q_MARK_MODERATE);
	assert_int_equal(lab.action.reacted, Q_SIG_MODERATE);
	assert_int_equal(lab_cwnd(&lab), 19);
}

static void the_severest_signal_of_an_ack_counts(void **state)
{
	struct lab lab;

	(void)state;
	lab_start(&lab, "mecn", 40, 1);
	ack_loss(&lab, Q_MARK_MODERATE);
	assert_int_equal(lab.action.reacted, Q_SIG_LOSS);
	assert_int_equal(lab.action.suppressed, Q_SIG_MODERATE);
	assert_int_equal(lab_cwnd(&lab), 20);
}

static void an_ack_that_tells_of_a_mark_does_not_open_the_window(void **state)
{
	struct lab lab;

	(void)state;
	lab_start(&lab, "mecn", 40, 1);
	ack_level(&lab, Q_MARK_INCIPIENT);
	for (int i = 0; i < 10; i++)
		ack_level(&lab, Q_MARK_MODERATE);
	assert_int_equal(lab.cc.cwnd_q24, 32 * Q_CWND_ONE);
	/* Without a mark it opens again at once: nothing holds it. */
	ack_level(&lab, Q_MARK_NONE);
	assert_int_equal(lab.cc.cwnd_q24, 32 * Q_CWND_ONE + Q_CWND_ONE / 32);
}

static void a_mark_ends_slow_start(void **state)
{
	struct lab lab;

	(void)state;
	lab_start(&lab, "mecn", 10, 1);
	lab.cc.ssthresh_q24 = 1000 * Q_CWND_ONE;
	lab_round_trip(&lab);
	assert_int_equal(lab_cwnd(&lab), 20);
	ack_level(&lab, Q_MARK_INCIPIENT);
	assert_int_equal(lab_cwnd(&lab), 16);
	assert_int_equal(lab_ssthresh(&lab), 16);
}

static void the_least_window_holds(void **state)
{
	struct lab lab;

	(void)state;
	lab_start(&lab, "mecn", 4, 1);
	lab.params.min_cwnd_pkts = 4;
	lab.params.min_ssthresh_pkts = 4;
	ack_level(&lab, Q_MARK_MODERATE);
	assert_int_equal(lab.action.reacted, Q_SIG_MODERATE);
	assert_int_equal(lab_cwnd(&lab), 4);
	assert_int_equal(lab_ssthresh(&lab), 4);
	/* Nor does the window end at nothing. */
	lab_start(&lab, "mecn", 1, 1);
	ack_level(&lab, Q_MARK_MODERATE);
	assert_int_equal(lab_cwnd(&lab), 1);
	assert_int_equal(lab_ssthresh(&lab), 2);
}

static void with_an_ordinary_receiver_it_is_ecn(void **state)
{
	struct lab mecn, ecn;

	(void)state;
	lab_start(&mecn, "mecn", 40, 1);
	lab_start(&ecn, "ecn", 40, 1);
	for (int i = 0; i < 500; i++) {
		mecn.event.mark_level = ecn.event.mark_level = i % 60 == 7 ? Q_MARK_ECE : Q_MARK_NONE;
		lab_ack(&mecn, 1, 1000);
		lab_ack(&ecn, 1, 1000);
		assert_memory_equal(&mecn.cc, &ecn.cc, sizeof(ecn.cc));
		assert_memory_equal(&mecn.action, &ecn.action, sizeof(ecn.action));
	}
	assert_true(lab_cwnd(&mecn) < 40);
}

static void isqs_mean_nothing(void **state)
{
	struct lab lab;

	(void)state;
	lab_start(&lab, "mecn", 40, 1);
	lab.event.isq_kind = Q_ISQ_DROPPED;
	lab_process(&lab);
	assert_int_equal(lab.action.reacted | lab.action.suppressed, 0);
	assert_int_equal(lab_cwnd(&lab), 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_level_takes_its_share),
		cmocka_unit_test(an_exact_cut_keeps_the_fraction),
		cmocka_unit_test(a_loss_takes_half_and_is_no_business_of_the_receiver),
		cmocka_unit_test(the_shares_are_parameters),
		cmocka_unit_test(every_share_in_percent_leaves_whole_packets_whole),
		cmocka_unit_test(shares_out_of_order_are_refused),
		cmocka_unit_test(one_reaction_per_window_whatever_follows),
		cmocka_unit_test(the_severest_signal_of_an_ack_counts),
		cmocka_unit_test(an_ack_that_tells_of_a_mark_does_not_open_the_window),
		cmocka_unit_test(a_mark_ends_slow_start),
		cmocka_unit_test(the_least_window_holds),
		cmocka_unit_test(with_an_ordinary_receiver_it_is_ecn),
		cmocka_unit_test(isqs_mean_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
