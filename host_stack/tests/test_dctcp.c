/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* dctcp against steps computed by hand, and the equilibrium of its law. */
#include <math.h>

#include "cc_lab.h"

static double alpha_of(const struct lab *lab)
{
	return ldexp(lab->cc.alpha_q24, -24);
}

static double packets(q_u64 q24)
{
	return ldexp((double)q24, -Q_CWND_SHIFT);
}

/* A cut is a multiple of 2^-16 of the window. */
static void assert_near(double value, double expected)
{
	if (fabs(value - expected) > 1e-3)
		fail_msg("%f instead of %f", value, expected);
}

/* An ACK of one packet, marked or not. */
static void ack(struct lab *lab, int marked)
{
	lab->event.mark_level = marked ? Q_MARK_ECE : Q_MARK_NONE;
	lab->event.marked_pkts = marked ? 1 : 0;
	lab_ack(lab, 1, 1000);
}

/* As if the windows before had been marked with this share: no window of observation is under way. */
static void lab_start_with(struct lab *lab, q_u32 cwnd, double alpha)
{
	lab_start(lab, "dctcp", cwnd, 1);
	lab->cc.alpha_q24 = (q_u32)ldexp(alpha, 24);
	lab->cc.window_end = lab->event.snd_nxt;
	lab->cc.flags |= 1 << 4;
}

static void alpha_begins_at_1_so_that_a_first_mark_halves(void **state)
{
	struct lab lab;

	(void)state;
	lab_start(&lab, "dctcp", 40, 1);
	assert_near(alpha_of(&lab), 1);
	ack(&lab, 1);
	assert_near(alpha_of(&lab), 1);
	assert_near(packets(lab.cc.cwnd_q24), 20);
	assert_near(packets(lab.cc.ssthresh_q24), 20);
	assert_int_equal(lab.action.reacted, Q_SIG_ECE);
	assert_int_equal(lab.action.queue_cwr, 1);
}

/* The first ACK ends the first window; the next begins with what is then in flight, and ends beyond it. */
static void alpha_moves_once_per_window_of_data(void **state)
{
	struct lab lab;

	(void)state;
	lab_start(&lab, "dctcp", 10, 1);
	lab.params.max_cwnd_pkts = 10;
	ack(&lab, 0);
	assert_near(alpha_of(&lab), 15.0 / 16);
	/* At that ACK bytes up to 10000 had been sent. The ACK of 10000 is not beyond them, the one of 11000 is. */
	for (int i = 0; i < 9; i++)
		ack(&lab, 0);
	assert_near(alpha_of(&lab), 15.0 / 16);
	ack(&lab, 0);
	assert_near(alpha_of(&lab), pow(15.0 / 16, 2));
	for (int i = 0; i < 9; i++)
		ack(&lab, 0);
	assert_near(alpha_of(&lab), pow(15.0 / 16, 2));
	ack(&lab, 0);
	assert_near(alpha_of(&lab), pow(15.0 / 16, 3));
}

static void alpha_moves_by_g_towards_the_share_of_marked_bytes(void **state)
{
	static const struct {
		double alpha;
		q_u32 g_q16;
		int marked;
		double expected;
	} steps[] = {
		/* 4 of 11 packets are marked. */
		{0, Q_FRACTION_ONE / 16, 4, 0.022727},   {0.5, Q_FRACTION_ONE / 16, 4, 0.491477},
		{0.5, Q_FRACTION_ONE / 4, 4, 0.465909},  {0.5, Q_FRACTION_ONE, 4, 0.363636},
		{0.5, Q_FRACTION_ONE / 16, 0, 0.468750}, {0.5, Q_FRACTION_ONE / 16, 11, 0.531250},
		{1, Q_FRACTION_ONE / 16, 11, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct lab lab;

		lab_start_with(&lab, 10, steps[i].alpha);
		lab.params.g_q16 = steps[i].g_q16;
		for (int n = 0; n < 11; n++)
			ack(&lab, n < steps[i].marked);
		assert_near(alpha_of(&lab), steps[i].expected);
	}
}

/* Bytes count, not ACKs: one ACK of three packets with ECE, and six of one without. */
static void shares_are_of_bytes(void **state)
{
	struct lab lab;

	(void)state;
	lab_start_with(&lab, 8, 0);
	lab.params.g_q16 = Q_FRACTION_ONE;
	lab.event.mark_level = Q_MARK_ECE;
	lab_ack(&lab, 3, 1000);
	for (int i = 0; i < 6; i++)
		ack(&lab, 0);
	assert_near(alpha_of(&lab), 3.0 / 9);
}

/* SACK does not count (RFC 8257 section 3.3): a duplicate ACK moves nothing, whatever it reports. */
static void duplicate_acks_are_not_observed(void **state)
{
	struct lab lab;

	(void)state;
	lab_start_with(&lab, 10, 0.5);
	lab.event.mark_level = Q_MARK_ECE;
	lab.event.marked_pkts = 1;
	lab_process(&lab);
	assert_int_equal(lab.action.reacted, Q_SIG_ECE);
	assert_int_equal(lab.cc.seen.all, 0);
	assert_int_equal(lab.cc.seen.marked, 0);
}

static void a_mark_takes_half_of_alpha_once_per_window(void **state)
{
	struct lab lab;

	(void)state;
	lab_start_with(&lab, 40, 0.3);
	ack(&lab, 1);
	/* Not rounded to whole packets, whatever integer_cut says. */
	assert_int_equal(lab.params.integer_cut, 1);
	assert_near(packets(lab.cc.cwnd_q24), 34);
	lab.cc.alpha_q24 = (q_u32)ldexp(0.07, 24);
	for (int i = 1; i < 40; i++) {
		ack(&lab, 1);
		assert_int_equal(lab.action.suppressed, Q_SIG_ECE);
		assert_near(packets(lab.cc.cwnd_q24), 34);
	}
	/* Behind everything that was in flight; the window of observation ends there too, all of it marked. */
	ack(&lab, 1);
	assert_int_equal(lab.action.reacted, Q_SIG_ECE);
	assert_near(alpha_of(&lab), 0.07 * 15 / 16 + 1.0 / 16);
	assert_near(packets(lab.cc.cwnd_q24), 34 * (1 - (0.07 * 15 / 16 + 1.0 / 16) / 2));
}

static void two_packets_are_the_floor_of_marks_and_losses(void **state)
{
	struct lab lab;

	(void)state;
	for (int loss = 0; loss <= 1; loss++) {
		lab_start_with(&lab, 3, 1);
		if (loss)
			lab.event.flags |= Q_EV_LOSS;
		else
			lab.event.mark_level = Q_MARK_ECE;
		lab_process(&lab);
		assert_int_equal(lab.cc.cwnd_q24, 2 * Q_CWND_ONE);
		/* A floor must not turn a reduction into an increase. */
		lab_start_with(&lab, 1, 1);
		if (loss)
			lab.event.flags |= Q_EV_LOSS;
		else
			lab.event.mark_level = Q_MARK_ECE;
		lab_process(&lab);
		assert_int_equal(lab.cc.cwnd_q24, Q_CWND_ONE);
	}
	lab_start_with(&lab, 30, 1);
	lab.params.min_cwnd_pkts = 20;
	ack(&lab, 1);
	assert_int_equal(lab.cc.cwnd_q24, 20 * Q_CWND_ONE);
}

static void a_loss_halves_whatever_alpha_is_and_leaves_alpha(void **state)
{
	struct lab lab;

	(void)state;
	lab_start_with(&lab, 41, 0.1);
	lab.event.flags |= Q_EV_LOSS;
	lab_process(&lab);
	assert_int_equal(lab.action.reacted, Q_SIG_LOSS);
	assert_near(packets(lab.cc.cwnd_q24), 20.5);
	assert_near(alpha_of(&lab), 0.1);
	/* A mark of the same window of data changes nothing more. */
	ack(&lab, 1);
	assert_int_equal(lab.action.suppressed, Q_SIG_ECE);
	q_cc_on_rto(&lab.cc, &lab.params, &lab.event, &lab.action);
	assert_int_equal(lab.cc.cwnd_q24, Q_CWND_ONE);
	assert_near(alpha_of(&lab), 0.1);
}

/* A timeout, a reduction and an undo leave the window of observation that is under way. */
static void a_window_of_observation_survives_reductions(void **state)
{
	struct lab lab;

	(void)state;
	lab_start_with(&lab, 10, 0.5);
	lab.params.g_q16 = Q_FRACTION_ONE;
	lab.params.max_cwnd_pkts = 10;
	ack(&lab, 1);
	lab.event.flags |= Q_EV_LOSS;
	ack(&lab, 0);
	q_cc_on_rto(&lab.cc, &lab.params, &lab.event, &lab.action);
	for (int i = 0; i < 8; i++)
		ack(&lab, 0);
	assert_near(alpha_of(&lab), 0.5);
	ack(&lab, 0);
	assert_near(alpha_of(&lab), 1.0 / 11);
}

static void isqs_mean_nothing(void **state)
{
	struct lab lab;

	(void)state;
	lab_start(&lab, "dctcp", 20, 1);
	lab.event.isq_kind = Q_ISQ_MARKED;
	lab_ack(&lab, 1, 1000);
	assert_int_equal(lab.action.reacted | lab.action.suppressed, 0);
	assert_true(lab.cc.cwnd_q24 > 20 * Q_CWND_ONE);
}

/*
 * A bottleneck in lockstep: in each round trip all packets but the first `limit` of the window are marked. Then alpha
 * settles at the share of round trips with marks in the mean, sqrt(2 / W) for a window W at which marks begin
 * (Alizadeh et al. 2010, equation 6), and the window swings by W * alpha / 2.
 */
static void alpha_settles_at_the_root_of_two_windows(void **state)
{
	static const q_u32 limits[] = {16, 32, 64, 128};

	(void)state;
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		double sum = 0, least = 1e9, most = 0;
		const int rounds = 4000;
		struct lab lab;

		lab_start(&lab, "dctcp", limits[i], 1);
		for (int round = 0; round < rounds + 1000; round++) {
			q_u32 pkts = lab_in_flight(&lab);
			int marked = pkts > limits[i];

			for (q_u32 n = 0; n < pkts; n++)
				ack(&lab, marked);
			if (round < 1000)
				continue;
			sum += alpha_of(&lab);
			least = fmin(least, packets(lab.cc.cwnd_q24));
			most = fmax(most, packets(lab.cc.cwnd_q24));
		}
		print_message("W %u: alpha %.3f, theory %.3f; swing %.2f, theory %.2f\n", limits[i], sum / rounds,
			      sqrt(2.0 / limits[i]), most - least, sqrt(limits[i] / 2.0));
		assert_true(fabs(sum / rounds / sqrt(2.0 / limits[i]) - 1) < 0.25);
		/* Windows are whole packets on the wire, and growth goes on for the round trip in which marks return.
		 */
		assert_true(fabs(most - least - sqrt(limits[i] / 2.0)) < 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alpha_begins_at_1_so_that_a_first_mark_halves),
		cmocka_unit_test(alpha_moves_once_per_window_of_data),
		cmocka_unit_test(alpha_moves_by_g_towards_the_share_of_marked_bytes),
		cmocka_unit_test(shares_are_of_bytes),
		cmocka_unit_test(duplicate_acks_are_not_observed),
		cmocka_unit_test(a_mark_takes_half_of_alpha_once_per_window),
		cmocka_unit_test(two_packets_are_the_floor_of_marks_and_losses),
		cmocka_unit_test(a_loss_halves_whatever_alpha_is_and_leaves_alpha),
		cmocka_unit_test(a_window_of_observation_survives_reductions),
		cmocka_unit_test(isqs_mean_nothing),
		cmocka_unit_test(alpha_settles_at_the_root_of_two_windows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
