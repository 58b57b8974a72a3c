/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* Reactions to signals of the network: ISQs, ECE, and which of them counts. */
#include "cc_lab.h"

static const char *const isq_algos[] = {"becn", "ecn-becn"};
static const char *const ece_algos[] = {"ecn", "ecn-becn", "mecn"};

static void isq_halves_to_whole_packets(void **state)
{
	(void)state;
	FOR_EACH(algo, isq_algos)
	{
		struct lab lab;

		for (q_u32 kind = Q_ISQ_MARKED; kind <= Q_ISQ_DROPPED; kind++) {
			lab_start(&lab, algo, 21, 1);
			lab.event.isq_kind = (q_u8)kind;
			lab_process(&lab);
			assert_int_equal(lab.action.reacted,
					 kind == Q_ISQ_MARKED ? Q_SIG_ISQ_MARKED : Q_SIG_ISQ_DROPPED);
			assert_int_equal(lab.cc.cwnd_q24, 10 * Q_CWND_ONE);
			assert_int_equal(lab.cc.ssthresh_q24, 10 * Q_CWND_ONE);

			lab_start(&lab, algo, 21, 1);
			lab.params.integer_cut = 0;
			lab.event.isq_kind = (q_u8)kind;
			lab_process(&lab);
			assert_int_equal(lab.cc.cwnd_q24, 21 * Q_CWND_ONE / 2);
		}
	}
}

/* Microseconds from a cut at 20 packets, by ISQ(kind), to the first growth; ACKs of one packet come every `step_us`. */
static q_u64 growth_after_us(const char *algo, q_u32 kind, q_u32 hold_rule, q_u32 step_us)
{
	struct lab lab;
	q_u64 cut_us;

	lab_start(&lab, algo, 20, 1);
	lab.params.hold_rule = hold_rule;
	lab.event.isq_kind = (q_u8)kind;
	lab_process(&lab);
	assert_int_equal(lab_cwnd(&lab), 10);
	cut_us = lab.event.now_us;
	for (int i = 0; i < 1000 && lab.cc.cwnd_q24 == 10 * Q_CWND_ONE; i++)
		lab_ack(&lab, 1, step_us);
	assert_true(lab.cc.cwnd_q24 > 10 * Q_CWND_ONE);
	return lab.event.now_us - cut_us;
}

static void hold_lasts_as_its_rule_says(void **state)
{
	(void)state;
	FOR_EACH(algo, isq_algos)
	{
		/* 20 packets are in flight at the cut; ACKs come every 4 ms. */
		assert_int_equal(growth_after_us(algo, Q_ISQ_MARKED, Q_HOLD_NONE, 4000), 4000);
		assert_int_equal(growth_after_us(algo, Q_ISQ_MARKED, Q_HOLD_SRTT, 4000), RTT_US);
		assert_int_equal(growth_after_us(algo, Q_ISQ_MARKED, Q_HOLD_OLD_WINDOW, 4000), 20 * 4000);
		assert_int_equal(growth_after_us(algo, Q_ISQ_MARKED, Q_HOLD_FIRST_NEW, 4000), 21 * 4000);
	}
}

static void isq_dropped_does_not_hold(void **state)
{
	(void)state;
	FOR_EACH(algo, isq_algos)
	for (q_u32 rule = Q_HOLD_NONE; rule <= Q_HOLD_OLD_WINDOW; rule++)
		assert_int_equal(growth_after_us(algo, Q_ISQ_DROPPED, rule, 4000), 4000);
}

static void a_new_reaction_ends_the_hold_and_the_leave_of_the_last(void **state)
{
	struct lab lab;

	(void)state;
	lab_start(&lab, "ecn-becn", 20, 1);
	lab.params.ece_opens_after_isq = 1;
	lab.event.isq_kind = Q_ISQ_MARKED;
	lab_process(&lab);
	/* The old window and one packet more, far quicker than the smoothed RTT. */
	lab.event.snd_nxt += 10 * PACKET_BYTES;
	lab.event.mark_level = Q_MARK_ECE;
	lab_ack(&lab, 21, RTT_US / 4);
	assert_int_equal(lab.action.reacted, Q_SIG_ECE);
	assert_int_equal(lab.cc.cwnd_q24, 5 * Q_CWND_ONE);
	lab.event.mark_level = Q_MARK_ECE;
	lab_ack(&lab, 1, 1000);
	assert_int_equal(lab.cc.cwnd_q24, 5 * Q_CWND_ONE);
	lab_ack(&lab, 1, 1000);
	assert_true(lab.cc.cwnd_q24 > 5 * Q_CWND_ONE);
}

static void cwr_follows_its_rule(void **state)
{
	static const int expected[3][2] = {{0, 0}, {1, 0}, {1, 1}};

	(void)state;
	FOR_EACH(algo, isq_algos)
	for (q_u32 rule = Q_CWR_NEVER; rule <= Q_CWR_ISQ_ANY; rule++)
		for (q_u32 kind = Q_ISQ_MARKED; kind <= Q_ISQ_DROPPED; kind++) {
			struct lab lab;

			lab_start(&lab, algo, 20, 1);
			lab.params.cwr_rule = rule;
			lab.event.isq_kind = (q_u8)kind;
			lab_process(&lab);
			assert_int_equal(lab.action.queue_cwr, expected[rule][kind - 1]);
			/* Without a reaction there is no CWR either. */
			lab.event.isq_kind = (q_u8)kind;
			lab_process(&lab);
			assert_int_equal(lab.action.queue_cwr, 0);
		}
}

static void ece_halves_and_does_not_open(void **state)
{
	(void)state;
	FOR_EACH(algo, ece_algos)
	{
		struct lab lab;

		lab_start(&lab, algo, 20, 1);
		lab.event.mark_level = Q_MARK_ECE;
		lab_ack(&lab, 1, 0);
		assert_int_equal(lab.action.reacted, Q_SIG_ECE);
		assert_int_equal(lab.action.queue_cwr, 1);
		assert_int_equal(lab.cc.cwnd_q24, 10 * Q_CWND_ONE);
		lab.event.mark_level = Q_MARK_ECE;
		lab_ack(&lab, 1, 1000);
		assert_int_equal(lab.action.suppressed, Q_SIG_ECE);
		assert_int_equal(lab.cc.cwnd_q24, 10 * Q_CWND_ONE);
		lab_ack(&lab, 1, 1000);
		assert_true(lab.cc.cwnd_q24 > 10 * Q_CWND_ONE);
	}
}

static void becn_takes_an_ack_with_ece_for_any_ack(void **state)
{
	struct lab lab;

	(void)state;
	lab_start(&lab, "becn", 20, 1);
	lab.event.mark_level = Q_MARK_ECE;
	lab_ack(&lab, 1, 0);
	assert_int_equal(lab.action.reacted | lab.action.suppressed, 0);
	assert_true(lab.cc.cwnd_q24 > 20 * Q_CWND_ONE);
}

static void ecn_takes_no_notice_of_isqs(void **state)
{
	struct lab lab;

	(void)state;
	lab_start(&lab, "ecn", 20, 1);
	lab.event.isq_kind = Q_ISQ_MARKED;
	lab_ack(&lab, 1, 0);
	assert_int_equal(lab.action.reacted | lab.action.suppressed, 0);
	assert_true(lab.cc.cwnd_q24 > 20 * Q_CWND_ONE);
}

static void ece_opens_after_an_isq_cut_only_if_told(void **state)
{
	(void)state;
	for (q_u32 opens = 0; opens <= 1; opens++) {
		struct lab lab;

		lab_start(&lab, "ecn-becn", 20, 1);
		lab.params.ece_opens_after_isq = opens;
		lab.params.hold_rule = Q_HOLD_NONE;
		lab.event.isq_kind = Q_ISQ_MARKED;
		lab_process(&lab);
		lab.event.mark_level = Q_MARK_ECE;
		lab_ack(&lab, 1, 1000);
		assert_int_equal(lab.cc.cwnd_q24 > 10 * Q_CWND_ONE, opens);

		/* After a cut for ECE it never does. */
		lab_start(&lab, "ecn-becn", 20, 1);
		lab.params.ece_opens_after_isq = opens;
		lab.event.mark_level = Q_MARK_ECE;
		lab_process(&lab);
		lab.event.mark_level = Q_MARK_ECE;
		lab_ack(&lab, 1, 1000);
		assert_int_equal(lab.cc.cwnd_q24, 10 * Q_CWND_ONE);
	}
}

static void ece_guard_adds_the_clock_to_the_window_rule(void **state)
{
	(void)state;
	for (q_u32 guard = 0; guard <= 1; guard++) {
		struct lab lab;

		lab_start(&lab, "ecn-becn", 20, 1);
		lab.params.ece_guard_srtt = guard;
		lab.event.isq_kind = Q_ISQ_DROPPED;
		lab_process(&lab);
		/* All of the window and one packet more, in half an RTT. */
		lab.event.snd_nxt += PACKET_BYTES;
		lab.event.mark_level = Q_MARK_ECE;
		lab_ack(&lab, 21, RTT_US / 2);
		assert_int_equal(lab.action.reacted, guard ? 0 : Q_SIG_ECE);
		assert_int_equal(lab.action.suppressed, guard ? Q_SIG_ECE : 0);
	}
}

static void the_signal_that_comes_first_counts(void **state)
{
	struct lab lab;

	(void)state;
	lab_start(&lab, "ecn-becn", 20, 1);
	lab.event.isq_kind = Q_ISQ_DROPPED;
	lab.event.mark_level = Q_MARK_ECE;
	lab.event.flags |= Q_EV_LOSS;
	lab_process(&lab);
	assert_int_equal(lab.action.reacted, Q_SIG_ISQ_DROPPED);
	assert_int_equal(lab.action.suppressed, Q_SIG_ECE | Q_SIG_LOSS);
	assert_int_equal(lab_cwnd(&lab), 10);

	lab_start(&lab, "ecn-becn", 20, 1);
	lab.event.mark_level = Q_MARK_ECE;
	lab_process(&lab);
	lab.event.isq_kind = Q_ISQ_MARKED;
	lab_process(&lab);
	assert_int_equal(lab.action.suppressed, Q_SIG_ISQ_MARKED);
	assert_int_equal(lab_cwnd(&lab), 10);
}

/* The window is over when the first packet sent after the cut is acknowledged, not a byte earlier; also across 2^32. */
static void the_next_reaction_waits_for_the_first_packet_sent_after_the_last(void **state)
{
	static const q_u32 first_bytes[] = {1, 0xffffffff, 0xffffffff - 10 * PACKET_BYTES, 0x7fffffff};

	(void)state;
	for (size_t i = 0; i < sizeof(first_bytes) / sizeof(first_bytes[0]); i++) {
		struct lab lab;

		lab_start(&lab, "becn", 20, first_bytes[i]);
		lab.event.isq_kind = Q_ISQ_DROPPED;
		lab_process(&lab);
		lab.event.isq_kind = Q_ISQ_DROPPED;
		lab_ack(&lab, 20, RTT_US);
		assert_int_equal(lab.action.suppressed, Q_SIG_ISQ_DROPPED);
		lab.event.isq_kind = Q_ISQ_DROPPED;
		lab_ack(&lab, 1, 1000);
		assert_int_equal(lab.action.reacted, Q_SIG_ISQ_DROPPED);
	}
}

/* After 3 GB without a signal, old sequence numbers look like future ones. */
static void a_cut_long_ago_suppresses_nothing(void **state)
{
	struct lab lab;

	(void)state;
	lab_start(&lab, "becn", 20, 1);
	lab.event.isq_kind = Q_ISQ_MARKED;
	lab_process(&lab);
	for (int i = 0; i < 3000; i++) {
		lab.event.now_us += RTT_US;
		lab.event.snd_una += 1000000;
		lab.event.snd_nxt = lab.event.snd_una + 1000000;
		lab_process(&lab);
	}
	lab.event.isq_kind = Q_ISQ_MARKED;
	lab_process(&lab);
	assert_int_equal(lab.action.reacted, Q_SIG_ISQ_MARKED);
}

static void floors_hold_and_never_raise_the_window(void **state)
{
	struct lab lab;

	(void)state;
	lab_start(&lab, "becn", 1, 1);
	lab.event.isq_kind = Q_ISQ_DROPPED;
	lab_process(&lab);
	assert_int_equal(lab_cwnd(&lab), 1);
	assert_int_equal(lab_ssthresh(&lab), 2);

	lab_start(&lab, "becn", 3, 1);
	lab.params.min_cwnd_pkts = 4;
	lab.event.isq_kind = Q_ISQ_DROPPED;
	lab_process(&lab);
	assert_int_equal(lab_cwnd(&lab), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(isq_halves_to_whole_packets),
		cmocka_unit_test(hold_lasts_as_its_rule_says),
		cmocka_unit_test(isq_dropped_does_not_hold),
		cmocka_unit_test(a_new_reaction_ends_the_hold_and_the_leave_of_the_last),
		cmocka_unit_test(cwr_follows_its_rule),
		cmocka_unit_test(ece_halves_and_does_not_open),
		cmocka_unit_test(becn_takes_an_ack_with_ece_for_any_ack),
		cmocka_unit_test(ecn_takes_no_notice_of_isqs),
		cmocka_unit_test(ece_opens_after_an_isq_cut_only_if_told),
		cmocka_unit_test(ece_guard_adds_the_clock_to_the_window_rule),
		cmocka_unit_test(the_signal_that_comes_first_counts),
		cmocka_unit_test(the_next_reaction_waits_for_the_first_packet_sent_after_the_last),
		cmocka_unit_test(a_cut_long_ago_suppresses_nothing),
		cmocka_unit_test(floors_hold_and_never_raise_the_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
