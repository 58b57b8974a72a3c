/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* Properties that hold under every sequence of events: random sweeps with fixed seeds. */
#include "cc_lab.h"

#define SEEDS 200
#define STEPS 2000

static q_u32 below(uint64_t *random, q_u32 bound)
{
	return (q_u32)(next_random(random) >> 33) % bound;
}

static void random_params(struct q_cc_params *params, uint64_t *random)
{
	q_cc_params_default(params);
	params->min_cwnd_pkts = 1 + below(random, 4);
	params->min_ssthresh_pkts = 1 + below(random, 4);
	params->max_cwnd_pkts = below(random, 2) ? 0 : 10 + below(random, 200);
	params->integer_cut = below(random, 2);
	params->hold_rule = below(random, 4);
	params->cwr_rule = below(random, 3);
	params->ece_opens_after_isq = below(random, 2);
	params->ece_guard_srtt = below(random, 2);
	params->isq_levels = below(random, 2);
	params->alpha_q16 = below(random, 3) ? 0 : below(random, Q_FRACTION_ONE);
	params->beta_q16 = params->alpha_q16 + 1 + below(random, Q_FRACTION_ONE);
	params->c1_q16 = 1 + below(random, Q_FRACTION_ONE / 4);
	params->c2_q16 = 1 + below(random, Q_FRACTION_ONE);
	params->initial_slow_start = below(random, 2);
	params->beta1_percent = 1 + below(random, 30);
	params->beta2_percent = params->beta1_percent + below(random, 20);
	params->g_q16 = 1 + below(random, Q_FRACTION_ONE);
}

static void random_event(struct lab *lab, uint64_t *random)
{
	q_u32 in_flight = lab_in_flight(lab);

	lab->event.now_us += below(random, RTT_US / 4);
	lab->event.srtt_us = RTT_US / 2 + below(random, RTT_US);
	lab->event.acked_pkts = in_flight ? below(random, in_flight + 1) : 0;
	lab->event.acked_bytes = lab->event.acked_pkts * PACKET_BYTES;
	lab->event.snd_una += lab->event.acked_bytes;
	lab->event.isq_kind = below(random, 10) ? Q_ISQ_NONE : (q_u8)(1 + below(random, 2));
	lab->event.isq_level = (q_u8)below(random, Q_ISQ_LEVEL_MAX + 1);
	lab->event.mark_level = below(random, 10) ? Q_MARK_NONE : (q_u8)(1 + below(random, Q_MARK_MODERATE));
	lab->event.marked_pkts = lab->event.mark_level ? below(random, lab->event.acked_pkts + 1) : 0;
	lab->event.flags = (q_u8)(below(random, 4) ? Q_EV_CWND_LIMITED : 0);
	if (!below(random, 30))
		lab->event.flags |= Q_EV_LOSS | Q_EV_IN_RECOVERY;
}

/* The one algorithm without a rule of one reaction per window. */
static int counts_marks(const struct lab *lab)
{
	return lab->ops == q_cc_find("ecn-mod");
}

static void check_step(const struct lab *lab, const struct q_cc *before, const struct q_cc_event *event)
{
	const struct q_cc_action *action = &lab->action;
	uint64_t cwnd = lab->cc.cwnd_q24;

	/* Never nothing, never beyond the limit unless it was there before. */
	assert_true(cwnd >= Q_CWND_ONE);
	if (lab->params.max_cwnd_pkts)
		assert_true(cwnd <= lab->params.max_cwnd_pkts * Q_CWND_ONE || cwnd <= before->cwnd_q24);
	/* A signal reduces or is suppressed, not both; without one nothing is either. One signal reduces, or marks do.
	 */
	assert_int_equal(action->reacted & action->suppressed, 0);
	if (!counts_marks(lab))
		assert_int_equal(action->reacted & (action->reacted - 1), 0);
	if (!event->isq_kind && !event->mark_level && !(event->flags & Q_EV_LOSS)) {
		assert_int_equal(action->reacted | action->suppressed, 0);
		assert_true(cwnd >= before->cwnd_q24);
	}
	/* One reduction halves once at most, up to rounding and growth by this very ACK. */
	if (counts_marks(lab) && (action->reacted & Q_SIG_ECE))
		assert_true(event->marked_pkts > 0);
	else if (action->reacted)
		assert_true(cwnd + Q_CWND_ONE >= before->cwnd_q24 / 2);
	else
		assert_true(cwnd >= before->cwnd_q24);
	/* An ACK adds no more than it acknowledges, unless alpha lets it. */
	if (!counts_marks(lab) || !lab->params.alpha_q16)
		assert_true(cwnd <= before->cwnd_q24 + event->acked_pkts * Q_CWND_ONE);
}

static void every_step_keeps_the_invariants(void **state)
{
	const struct q_cc_ops *ops;

	(void)state;
	for (q_u32 algo = 0; (ops = q_cc_at(algo)) != NULL; algo++)
		for (uint64_t seed = 1; seed <= SEEDS; seed++) {
			uint64_t random = seed * 0x9e3779b97f4a7c15ULL;
			struct lab lab;

			lab_start(&lab, ops->name, 2 + below(&random, 60), (q_u32)next_random(&random));
			random_params(&lab.params, &random);
			for (int step = 0; step < STEPS; step++) {
				struct q_cc before = lab.cc;
				struct q_cc_event event;

				random_event(&lab, &random);
				event = lab.event;
				lab_process(&lab);
				check_step(&lab, &before, &event);
				if (!below(&random, 200))
					q_cc_on_rto(&lab.cc, &lab.params, &lab.event, &lab.action);
			}
		}
}

/* Between two reactions lies at least a window of data: the second only after a packet sent after the first is
 * acknowledged. */
static void reactions_are_a_window_apart(void **state)
{
	const struct q_cc_ops *ops;

	(void)state;
	for (q_u32 algo = 0; (ops = q_cc_at(algo)) != NULL; algo++)
		for (uint64_t seed = 1; seed <= SEEDS; seed++) {
			uint64_t random = seed * 0xd1342543de82ef95ULL;
			struct lab lab;
			q_u32 cut_seq = 0;
			int reactions = 0;

			lab_start(&lab, ops->name, 40, (q_u32)next_random(&random));
			for (int step = 0; step < STEPS; step++) {
				q_u32 sent;

				random_event(&lab, &random);
				sent = lab.event.snd_nxt;
				lab_process(&lab);
				if (counts_marks(&lab))
					lab.action.reacted &= ~(q_u32)Q_SIG_ECE;
				if (!lab.action.reacted)
					continue;
				if (reactions++)
					assert_true((int32_t)(lab.event.snd_una - cut_seq) > 0);
				cut_seq = sent;
			}
			assert_true(reactions > 10);
		}
}

/* ecn-becn without ISQs is ecn, and without ECE and with the same rules it is becn. */
static void ecn_becn_contains_both(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		uint64_t random = seed * 0xa0761d6478bd642fULL;
		struct lab both, one;
		int without_isq = seed % 2;

		lab_start(&both, "ecn-becn", 30, 1);
		lab_start(&one, without_isq ? "ecn" : "becn", 30, 1);
		random_params(&both.params, &random);
		one.params = both.params;
		for (int step = 0; step < STEPS; step++) {
			random_event(&both, &random);
			if (without_isq)
				both.event.isq_kind = Q_ISQ_NONE;
			else
				both.event.mark_level = Q_MARK_NONE;
			one.event = both.event;
			lab_process(&both);
			lab_process(&one);
			assert_memory_equal(&both.cc, &one.cc, sizeof(both.cc));
			assert_memory_equal(&both.action, &one.action, sizeof(both.action));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_step_keeps_the_invariants),
		cmocka_unit_test(reactions_are_a_window_apart),
		cmocka_unit_test(ecn_becn_contains_both),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
