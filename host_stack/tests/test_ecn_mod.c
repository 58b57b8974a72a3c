/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* ecn-mod, signal by signal, and its mean window against the paper's theory. */
#include <math.h>

#include "cc_lab.h"

#define ONE_Q16 Q_FRACTION_ONE

static double packets(q_u64 q24)
{
	return ldexp((double)q24, -Q_CWND_SHIFT);
}

/* An ACK of `pkts` packets of which `marked` were marked. */
static void ack_marked(struct lab *lab, q_u32 pkts, q_u32 marked)
{
	lab->event.marked_pkts = marked;
	lab->event.mark_level = marked ? Q_MARK_ECE : Q_MARK_NONE;
	lab_ack(lab, pkts, 1000);
}

static void an_unmarked_packet_adds_c1_packets(void **state)
{
	static const q_u32 factors_q16[] = {ONE_Q16 / 16, ONE_Q16 / 8, ONE_Q16 / 4};

	(void)state;
	for (size_t i = 0; i < sizeof(factors_q16) / sizeof(factors_q16[0]); i++) {
		struct lab lab;

		lab_start(&lab, "ecn-mod", 20, 1);
		lab.params.c1_q16 = factors_q16[i];
		lab_ack(&lab, 1, 1000);
		assert_int_equal(lab.cc.cwnd_q24, 20 * Q_CWND_ONE + ((q_u64)factors_q16[i] << 8));
		/* The same number of packets comes in a single ACK. */
		lab_ack(&lab, 7, 1000);
		assert_int_equal(lab.cc.cwnd_q24, 20 * Q_CWND_ONE + 8 * ((q_u64)factors_q16[i] << 8));
		assert_int_equal(lab.action.reacted | lab.action.suppressed, 0);
	}
}

static void a_marked_packet_takes_c2_of_the_window_and_adds_nothing(void **state)
{
	struct lab lab;

	(void)state;
	lab_start(&lab, "ecn-mod", 20, 1);
	ack_marked(&lab, 1, 1);
	assert_int_equal(lab.cc.cwnd_q24, 15 * Q_CWND_ONE);
	assert_int_equal(lab.action.reacted, Q_SIG_ECE);
	assert_int_equal(lab.action.queue_cwr, 0);
	lab.params.c2_q16 = ONE_Q16 / 5 * 2;
	ack_marked(&lab, 1, 1);
	assert_true(fabs(packets(lab.cc.cwnd_q24) - 9) < 1e-3);
}

/* No rule of one reaction per round trip: three marks in one window, and two in one ACK. */
static void each_mark_counts(void **state)
{
	struct lab lab;

	(void)state;
	lab_start(&lab, "ecn-mod", 64, 1);
	for (int i = 0; i < 3; i++) {
		ack_marked(&lab, 1, 1);
		assert_int_equal(lab.action.reacted, Q_SIG_ECE);
		assert_int_equal(lab.action.suppressed, 0);
	}
	assert_int_equal(lab.cc.cwnd_q24, 27 * Q_CWND_ONE);

	lab_start(&lab, "ecn-mod", 64, 1);
	ack_marked(&lab, 2, 2);
	assert_int_equal(lab.cc.cwnd_q24, 36 * Q_CWND_ONE);
	/* Unmarked ones first, then the marked one. */
	ack_marked(&lab, 3, 1);
	assert_int_equal(lab.cc.cwnd_q24, (36 * Q_CWND_ONE + Q_CWND_ONE / 8) / 4 * 3);
}

static void exponents_may_be_any_real_number(void **state)
{
	static const double exponents[][2] = {{0.5, 1.5}, {0.3, 0.9}, {0, 0.5}, {1, 2}, {0.123, 1.01}};

	(void)state;
	for (size_t i = 0; i < sizeof(exponents) / sizeof(exponents[0]); i++) {
		double window = 30;
		struct lab lab;

		lab_start(&lab, "ecn-mod", 30, 1);
		lab.params.alpha_q16 = (q_u32)lround(exponents[i][0] * ONE_Q16);
		lab.params.beta_q16 = (q_u32)lround(exponents[i][1] * ONE_Q16);
		lab.params.c1_q16 = ONE_Q16 / 16;
		lab.params.c2_q16 = ONE_Q16 / 256;
		for (int n = 0; n < 100; n++) {
			ack_marked(&lab, 1, n % 5 == 0);
			window += n % 5 ? pow(window, exponents[i][0]) / 16 : -pow(window, exponents[i][1]) / 256;
		}
		/* The exponents are rounded to 2^-16. */
		assert_true(fabs(packets(lab.cc.cwnd_q24) / window - 1) < 1e-3);
	}
}

static void an_ack_of_very_many_packets_is_close_to_as_many_acks(void **state)
{
	struct lab one, many;

	(void)state;
	lab_start(&one, "ecn-mod", 200, 1);
	one.params.alpha_q16 = ONE_Q16 / 2;
	many = one;
	lab_ack(&one, 150, 1000);
	for (int i = 0; i < 150; i++)
		lab_ack(&many, 1, 0);
	assert_true(many.cc.cwnd_q24 > 300 * Q_CWND_ONE);
	assert_true(fabs(packets(one.cc.cwnd_q24) / packets(many.cc.cwnd_q24) - 1) < 0.01);
	/* Marks on all of them leave the least window. */
	ack_marked(&one, 150, 150);
	assert_int_equal(one.cc.cwnd_q24, Q_CWND_ONE);
	/* More than any ACK can cover does no harm. */
	lab_start(&one, "ecn-mod", 20, 1);
	lab_ack(&one, 0xffffffff, 1000);
	assert_int_equal(one.cc.cwnd_q24, (20 + 0x3fff / 16) * Q_CWND_ONE + Q_CWND_ONE / 16 * 15);
}

static void the_least_window_holds_and_never_raises_it(void **state)
{
	struct lab lab;

	(void)state;
	lab_start(&lab, "ecn-mod", 6, 1);
	lab.params.min_cwnd_pkts = 5;
	for (int i = 0; i < 5; i++)
		ack_marked(&lab, 1, 1);
	assert_int_equal(lab.cc.cwnd_q24, 5 * Q_CWND_ONE);
	lab.params.min_cwnd_pkts = 7;
	ack_marked(&lab, 1, 1);
	assert_int_equal(lab.cc.cwnd_q24, 5 * Q_CWND_ONE);
}

static void the_limit_holds(void **state)
{
	struct lab lab;

	(void)state;
	lab_start(&lab, "ecn-mod", 10, 1);
	lab.params.max_cwnd_pkts = 11;
	for (int i = 0; i < 3; i++)
		lab_round_trip(&lab);
	assert_int_equal(lab.cc.cwnd_q24, 11 * Q_CWND_ONE);
}

static void a_mark_ends_slow_start(void **state)
{
	struct lab lab;

	(void)state;
	lab_start(&lab, "ecn-mod", 8, 1);
	lab.cc.ssthresh_q24 = (q_u64)0x7fffffff << Q_CWND_SHIFT;
	lab_round_trip(&lab);
	assert_int_equal(lab.cc.cwnd_q24, 16 * Q_CWND_ONE);
	ack_marked(&lab, 1, 1);
	assert_int_equal(lab.cc.cwnd_q24, 12 * Q_CWND_ONE);
	assert_int_equal(lab.cc.ssthresh_q24, 12 * Q_CWND_ONE);
	lab_ack(&lab, 1, 1000);
	assert_int_equal(lab.cc.cwnd_q24, 12 * Q_CWND_ONE + Q_CWND_ONE / 16);
}

static void slow_start_at_the_beginning_is_a_parameter_and_after_a_timeout_is_not(void **state)
{
	struct lab lab;

	(void)state;
	lab_start(&lab, "ecn-mod", 8, 1);
	lab.cc.ssthresh_q24 = (q_u64)0x7fffffff << Q_CWND_SHIFT;
	lab.params.initial_slow_start = 0;
	lab_ack(&lab, 8, 1000);
	assert_int_equal(lab.cc.cwnd_q24, 8 * Q_CWND_ONE + Q_CWND_ONE / 2);
	q_cc_on_rto(&lab.cc, &lab.params, &lab.event, &lab.action);
	assert_int_equal(lab.cc.cwnd_q24, Q_CWND_ONE);
	lab_ack(&lab, 2, RTT_US);
	assert_int_equal(lab.cc.cwnd_q24, 3 * Q_CWND_ONE);
	/* Up to half of what it was, in whole packets; the ACK's second packet is beyond it. */
	lab_ack(&lab, 2, RTT_US);
	assert_int_equal(lab.cc.cwnd_q24, 4 * Q_CWND_ONE + Q_CWND_ONE / 16);
}

static void loss_halves_once_per_window_whatever_the_marks(void **state)
{
	struct lab lab;

	(void)state;
	lab_start(&lab, "ecn-mod", 20, 1);
	lab.event.flags |= Q_EV_LOSS;
	lab_process(&lab);
	assert_int_equal(lab.action.reacted, Q_SIG_LOSS);
	assert_int_equal(lab.cc.cwnd_q24, 10 * Q_CWND_ONE);
	assert_int_equal(lab.cc.ssthresh_q24, 10 * Q_CWND_ONE);
	/* Another loss of the same window does not count, a mark does. */
	lab.event.flags |= Q_EV_LOSS;
	ack_marked(&lab, 1, 1);
	assert_int_equal(lab.action.reacted, Q_SIG_ECE);
	assert_int_equal(lab.action.suppressed, Q_SIG_LOSS);
	assert_true(fabs(packets(lab.cc.cwnd_q24) - 7.5) < 1e-6);
}

static void marks_do_not_hide_a_loss(void **state)
{
	struct lab lab;

	(void)state;
	lab_start(&lab, "ecn-mod", 32, 1);
	ack_marked(&lab, 1, 1);
	lab.event.flags |= Q_EV_LOSS;
	ack_marked(&lab, 1, 1);
	assert_int_equal(lab.action.reacted, Q_SIG_ECE | Q_SIG_LOSS);
	assert_int_equal(lab.cc.cwnd_q24, 9 * Q_CWND_ONE);
}

static void recovery_and_an_idle_application_stop_growth_but_not_marks(void **state)
{
	(void)state;
	for (int in_recovery = 0; in_recovery <= 1; in_recovery++) {
		struct lab lab;

		lab_start(&lab, "ecn-mod", 20, 1);
		lab.event.flags = in_recovery ? Q_EV_CWND_LIMITED | Q_EV_IN_RECOVERY : 0;
		lab_ack(&lab, 5, 1000);
		assert_int_equal(lab.cc.cwnd_q24, 20 * Q_CWND_ONE);
		/* A duplicate ACK for a marked packet behind the gap. */
		ack_marked(&lab, 0, 1);
		assert_int_equal(lab.cc.cwnd_q24, 15 * Q_CWND_ONE);
	}
}

static void undo_gives_back_what_a_loss_took_and_not_what_marks_took(void **state)
{
	struct lab lab;

	(void)state;
	lab_start(&lab, "ecn-mod", 40, 1);
	lab.event.flags |= Q_EV_LOSS;
	lab_process(&lab);
	ack_marked(&lab, 1, 1);
	assert_int_equal(lab.cc.cwnd_q24, 15 * Q_CWND_ONE);
	assert_int_equal(q_cc_undo(&lab.cc), 1);
	assert_int_equal(lab.cc.cwnd_q24, 35 * Q_CWND_ONE);
}

static void isqs_mean_nothing(void **state)
{
	struct lab lab;

	(void)state;
	lab_start(&lab, "ecn-mod", 20, 1);
	lab.event.isq_kind = Q_ISQ_MARKED;
	lab_ack(&lab, 1, 1000);
	assert_int_equal(lab.action.reacted | lab.action.suppressed, 0);
	assert_true(lab.cc.cwnd_q24 > 20 * Q_CWND_ONE);
}

/* ECE without a count, as from a caller that knows RFC 3168 only, is no mark. */
static void only_counted_marks_count(void **state)
{
	struct lab lab;

	(void)state;
	lab_start(&lab, "ecn-mod", 20, 1);
	lab.event.mark_level = Q_MARK_ECE;
	lab_ack(&lab, 0, 1000);
	assert_int_equal(lab.action.reacted, 0);
	assert_int_equal(lab.cc.cwnd_q24, 20 * Q_CWND_ONE);
}

/*
 * If every packet is marked with probability p, the window does not drift at c1 * W^alpha * (1-p) = c2 * W^beta * p
 * (eq. 4 to 6 of the paper). With alpha = 0 and beta = 1 that is the exact mean over the ACKs.
 */
static void the_mean_window_is_that_of_the_theory(void **state)
{
	static const double settings[][4] = {/* alpha, beta, c1, p */
					     {0, 1, 0.0625, 0.01},
					     {0, 1, 0.0625, 0.04},
					     {0, 1, 0.125, 0.02},
					     {0, 1, 0.25, 0.02},
					     {0.5, 1, 0.0625, 0.05}};

	(void)state;
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		const double *s = settings[i];
		double theory = pow(s[2] * (1 - s[3]) / (0.25 * s[3]), 1 / (s[1] - s[0]));
		uint64_t random = 0x853c49e6748fea9bULL;
		double sum = 0, sum_add = 0, sum_take = 0;
		const int acks = 1000000;
		struct lab lab;

		lab_start(&lab, "ecn-mod", (q_u32)theory, 1);
		lab.params.alpha_q16 = (q_u32)lround(s[0] * ONE_Q16);
		lab.params.beta_q16 = (q_u32)lround(s[1] * ONE_Q16);
		lab.params.c1_q16 = (q_u32)lround(s[2] * ONE_Q16);
		for (int n = 0; n < acks; n++) {
			double window = packets(lab.cc.cwnd_q24);

			sum += window;
			sum_add += s[2] * pow(window, s[0]) * (1 - s[3]);
			sum_take += 0.25 * pow(window, s[1]) * s[3];
			random = random * 6364136223846793005ULL + 1442695040888963407ULL;
			ack_marked(&lab, 1, (double)(random >> 32) < s[3] * 4294967296.0);
		}
		print_message("alpha %.1f c1 %.4f p %.2f: mean window %.3f, theory %.3f\n", s[0], s[2], s[3],
			      sum / acks, theory);
		/* The packets added balance the packets taken, for every alpha and beta. */
		assert_true(fabs(sum_add / sum_take - 1) < 0.02);
		if (s[0] == 0)
			assert_true(fabs(sum / acks / theory - 1) < 0.02);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_unmarked_packet_adds_c1_packets),
		cmocka_unit_test(a_marked_packet_takes_c2_of_the_window_and_adds_nothing),
		cmocka_unit_test(each_mark_counts),
		cmocka_unit_test(exponents_may_be_any_real_number),
		cmocka_unit_test(an_ack_of_very_many_packets_is_close_to_as_many_acks),
		cmocka_unit_test(the_least_window_holds_and_never_raises_it),
		cmocka_unit_test(the_limit_holds),
		cmocka_unit_test(a_mark_ends_slow_start),
		cmocka_unit_test(slow_start_at_the_beginning_is_a_parameter_and_after_a_timeout_is_not),
		cmocka_unit_test(loss_halves_once_per_window_whatever_the_marks),
		cmocka_unit_test(marks_do_not_hide_a_loss),
		cmocka_unit_test(recovery_and_an_idle_application_stop_growth_but_not_marks),
		cmocka_unit_test(undo_gives_back_what_a_loss_took_and_not_what_marks_took),
		cmocka_unit_test(isqs_mean_nothing),
		cmocka_unit_test(only_counted_marks_count),
		cmocka_unit_test(the_mean_window_is_that_of_the_theory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
