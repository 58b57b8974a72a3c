/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* prague's estimate and cuts, its growth beside marks and in short round trips, losses, and what it is without Accurate
 * ECN. */
#include <math.h>
#include <string.h>

#include "cc_lab.h"

#define SHORT_RTT_US 5000U

static double alpha(const struct lab *lab)
{
	return lab->cc.alpha_q24 / (double)Q_CWND_ONE;
}

static double window(const struct lab *lab)
{
	return (double)lab->cc.cwnd_q24 / Q_CWND_ONE;
}

static void start(struct lab *lab, q_u32 cwnd, q_u32 rtt_us)
{
	lab_start(lab, "prague", cwnd, 1);
	lab->event.flags |= Q_EV_ACCECN;
	lab->event.srtt_us = rtt_us;
}

static void ack(struct lab *lab, q_u32 pkts, q_u32 marked, q_u32 after_us)
{
	lab->event.marked_pkts = marked;
	lab->event.mark_level = marked ? Q_MARK_ECE : Q_MARK_NONE;
	lab_ack(lab, pkts, after_us);
}

/* A round trip in which the first `marked` packets are reported as marked. */
static void round_trip(struct lab *lab, q_u32 marked)
{
	q_u32 pkts = lab_in_flight(lab);

	for (q_u32 i = 0; i < pkts; i++)
		ack(lab, 1, i < marked, lab->event.srtt_us / pkts);
}

static void the_estimate_stands_at_one_until_the_first_mark_which_halves(void **state)
{
	struct lab lab;

	(void)state;
	start(&lab, 40, RTT_US);
	for (int i = 0; i < 20; i++)
		round_trip(&lab, 0);
	assert_true(alpha(&lab) == 1);
	double before = window(&lab);

	ack(&lab, 1, 1, 1);
	assert_int_equal(lab.action.reacted, Q_SIG_ECE);
	assert_int_equal(lab.action.queue_cwr, 0);
	assert_true(fabs(window(&lab) / before - 0.5) < 0.02);
	round_trip(&lab, 0);
	round_trip(&lab, 0);
	assert_true(alpha(&lab) < 1);
}

static void one_cut_in_a_window_and_each_unmarked_packet_opens_it(void **state)
{
	struct lab lab;
	q_u32 pkts;

	(void)state;
	start(&lab, 40, RTT_US);
	lab.cc.alpha_q24 = Q_CWND_ONE / 8;
	ack(&lab, 2, 1, 1);
	double expected = 40 * (1 - 1.0 / 16);

	/* The other packet of the same ACK. */
	expected += 1 / expected;
	assert_true(fabs(window(&lab) - expected) < 1e-4);
	pkts = lab_in_flight(&lab) / 2;
	for (q_u32 i = 0; i < pkts; i++) {
		ack(&lab, 2, 1, 1);
		assert_int_equal(lab.action.reacted, 0);
		assert_int_equal(lab.action.suppressed, Q_SIG_ECE);
		expected += 1 / expected;
	}
	assert_true(fabs(window(&lab) - expected) < 1e-3);
}

/* With a share p of marks in each window, growth and cuts meet at 2 (1 - p) / p packets: alpha is p then. */
static void the_window_settles_at_the_law(void **state)
{
	(void)state;
	for (q_u32 period = 5; period <= 20; period += 5) {
		double sum = 0, p = 1.0 / period, law = 2 * (1 - p) / p;
		q_u32 number = 0, rounds = 0;
		struct lab lab;

		start(&lab, 40, RTT_US);
		for (int round = 0; round < 1200; round++) {
			q_u32 pkts = lab_in_flight(&lab);

			for (q_u32 i = 0; i < pkts; i++)
				ack(&lab, 1, ++number % period == 0, RTT_US / pkts);
			if (round >= 400) {
				sum += window(&lab);
				rounds++;
			}
		}
		assert_true(fabs(sum / rounds / law - 1) < 0.15);
	}
}

static void a_short_round_trip_counts_as_the_virtual_one(void **state)
{
	struct lab lab;

	(void)state;
	start(&lab, 20, SHORT_RTT_US);
	lab.params.virtual_rtt_rounds = 3;
	/* A packet in a round trip, then (5 / 25)^2 packets. */
	double before = window(&lab);

	round_trip(&lab, 0);
	assert_true(fabs(window(&lab) - before - 1) < 0.05);
	while (lab.cc.rounds < 3)
		round_trip(&lab, 0);
	before = window(&lab);
	for (int i = 0; i < 25; i++)
		round_trip(&lab, 0);
	assert_true(fabs(window(&lab) - before - 1) < 0.1);

	/* One cut in 25 ms. */
	lab.cc.alpha_q24 = Q_CWND_ONE / 8;
	q_u32 cuts = 0;
	q_u64 began = lab.event.now_us;

	while (lab.event.now_us < began + 250000) {
		ack(&lab, 1, 1, 250);
		cuts += lab.action.reacted == Q_SIG_ECE;
	}
	assert_in_range(cuts, 9, 10);
}

/* Where the step of an ACK is below one unit of the window, as in a data centre. */
static void a_very_short_round_trip_does_not_stop_growth(void **state)
{
	const struct {
		q_u32 rtt_us;
		q_u32 cwnd;
	} cases[] = {{100, 1000}, {50, 100}, {20, 20}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double ratio = cases[i].rtt_us / 25000.0;
		struct lab lab;

		start(&lab, cases[i].cwnd, cases[i].rtt_us);
		lab.params.virtual_rtt_rounds = 0;
		for (q_u32 round_trips = 0; round_trips < 1000; round_trips++)
			for (q_u32 k = 0; k < cases[i].cwnd; k++)
				ack(&lab, 1, 0, 0);
		assert_true(fabs((window(&lab) - cases[i].cwnd) / (1000 * ratio * ratio) - 1) < 0.05);
	}
}

static void a_virtual_round_trip_of_0_leaves_all_as_they_are(void **state)
{
	struct lab lab;

	(void)state;
	start(&lab, 20, SHORT_RTT_US);
	lab.params.virtual_rtt_us = 0;
	lab.params.virtual_rtt_rounds = 0;
	double before = window(&lab);

	for (int i = 0; i < 10; i++)
		round_trip(&lab, 0);
	assert_true(fabs(window(&lab) - before - 10) < 0.5);
}

static void a_loss_halves_also_after_a_mark_but_once(void **state)
{
	struct lab lab;

	(void)state;
	start(&lab, 40, RTT_US);
	lab.cc.alpha_q24 = Q_CWND_ONE / 64;
	ack(&lab, 1, 1, 1);
	double before = window(&lab);

	lab.event.flags |= Q_EV_LOSS | Q_EV_IN_RECOVERY;
	lab_process(&lab);
	assert_int_equal(lab.action.reacted, Q_SIG_LOSS);
	assert_true(fabs(window(&lab) - before / 2) < 1e-4);
	lab.event.flags |= Q_EV_LOSS;
	ack(&lab, 1, 1, 1);
	assert_int_equal(lab.action.reacted, 0);
	assert_int_equal(lab.action.suppressed, Q_SIG_LOSS | Q_SIG_ECE);
	assert_int_equal(q_cc_undo(&lab.cc), 1);
	assert_true(window(&lab) >= before);
}

static void a_timeout_halves_the_threshold_also_after_a_mark(void **state)
{
	struct lab lab;

	(void)state;
	start(&lab, 40, RTT_US);
	lab.cc.alpha_q24 = Q_CWND_ONE / 64;
	ack(&lab, 1, 1, 1);
	assert_int_equal(lab_ssthresh(&lab), 39);
	q_cc_on_rto(&lab.cc, &lab.params, &lab.event, &lab.action);
	assert_int_equal(lab_cwnd(&lab), 1);
	assert_int_equal(lab_ssthresh(&lab), 19);
}

/* Hostile counts: more marks than packets, and the largest numbers. */
static void any_count_leaves_the_window_within_its_bounds(void **state)
{
	uint64_t random = 0x5eed;
	struct lab lab;

	(void)state;
	start(&lab, 40, SHORT_RTT_US);
	lab.params.max_cwnd_pkts = 1000;
	lab.params.virtual_rtt_rounds = 0;
	for (int i = 0; i < 200000; i++) {
		q_u32 pkts = (q_u32)next_random(&random) % 8;

		lab.event.flags |= next_random(&random) % 50 ? 0 : Q_EV_LOSS;
		lab.event.marked_pkts = (q_u32)(next_random(&random) >> next_random(&random) % 64);
		lab.event.mark_level = lab.event.marked_pkts ? Q_MARK_ECE : Q_MARK_NONE;
		lab.event.srtt_us = (q_u32)(next_random(&random) >> next_random(&random) % 64);
		lab_ack(&lab, pkts, (q_u32)next_random(&random) % 10000);
		assert_in_range(lab.cc.cwnd_q24, 2 * Q_CWND_ONE, 1000 * Q_CWND_ONE);
		assert_in_range(lab.cc.alpha_q24, 0, Q_CWND_ONE);
	}
}

static void without_accurate_ecn_it_is_ecn(void **state)
{
	uint64_t random = 0xacce;
	struct lab ours, theirs;

	(void)state;
	lab_start(&ours, "prague", 40, 1);
	lab_start(&theirs, "ecn", 40, 1);
	for (int i = 0; i < 100000; i++) {
		q_u32 pkts = (q_u32)next_random(&random) % 3, after_us = (q_u32)next_random(&random) % 5000;
		q_u8 level = next_random(&random) % 20 ? Q_MARK_NONE : Q_MARK_ECE;
		q_u8 loss = next_random(&random) % 100 ? 0 : Q_EV_LOSS;

		ours.event.mark_level = theirs.event.mark_level = level;
		ours.event.flags |= loss;
		theirs.event.flags |= loss;
		lab_ack(&ours, pkts, after_us);
		lab_ack(&theirs, pkts, after_us);
		assert_memory_equal(&ours.cc, &theirs.cc, sizeof(ours.cc));
		assert_memory_equal(&ours.action, &theirs.action, sizeof(ours.action));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_estimate_stands_at_one_until_the_first_mark_which_halves),
		cmocka_unit_test(one_cut_in_a_window_and_each_unmarked_packet_opens_it),
		cmocka_unit_test(the_window_settles_at_the_law),
		cmocka_unit_test(a_short_round_trip_counts_as_the_virtual_one),
		cmocka_unit_test(a_very_short_round_trip_does_not_stop_growth),
		cmocka_unit_test(a_virtual_round_trip_of_0_leaves_all_as_they_are),
		cmocka_unit_test(a_loss_halves_also_after_a_mark_but_once),
		cmocka_unit_test(a_timeout_halves_the_threshold_also_after_a_mark),
		cmocka_unit_test(any_count_leaves_the_window_within_its_bounds),
		cmocka_unit_test(without_accurate_ecn_it_is_ecn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
