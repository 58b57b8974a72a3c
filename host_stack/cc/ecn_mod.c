/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/*
 * ecn-mod: the window adaptation of Misra and Ott. A packet that is acknowledged unmarked adds c1 * cwnd^alpha packets,
 * a marked one takes c2 * cwnd^beta, each mark counts, and there is no rule of one reaction per round trip. A lost
 * packet is answered as by NewReno, once per window of data.
 *
 * Our choices, where the paper is silent: a mark ends slow start, and counts in fast recovery too. The unmarked packets
 * of one ACK count first. No CWR is requested, because a receiver that echoes each packet's mark ignores it.
 */
#include "algorithms.h"
#include "newreno.h"
#include "power.h"

/* An ACK of more packets is processed in this many equal steps. */
#define Q_ECN_MOD_STEPS 32U
/* No ACK covers more; keeps the products below 2^63. */
#define Q_ECN_MOD_MAX_PKTS 0x3fffU

struct q_ecn_mod_steps {
	q_u32 count;
	/* Packets in a step, with 8 fractional bits. */
	q_u32 share_q8;
};

static inline struct q_ecn_mod_steps q_ecn_mod_steps(q_u32 pkts)
{
	struct q_ecn_mod_steps steps = {pkts, 1 << 8};

	if (pkts > Q_ECN_MOD_STEPS) {
		steps.count = Q_ECN_MOD_STEPS;
		steps.share_q8 = (q_u32)q_min(pkts, Q_ECN_MOD_MAX_PKTS) * (1 << 8) / Q_ECN_MOD_STEPS;
	}
	return steps;
}

/* The change of the window in a step: share * factor * cwnd^exponent, in q24. */
static inline q_u64 q_ecn_mod_delta(q_u64 cwnd_q24, q_u32 share_q8, q_u32 factor_q16, q_u32 exponent_q16)
{
	return (q_power(cwnd_q24, exponent_q16) * factor_q16 >> Q_FRACTION_BITS) * share_q8 >> 8;
}

static inline void q_ecn_mod_grow(struct q_cc *cc, const struct q_cc_params *params, const struct q_cc_event *event)
{
	q_u32 unmarked = event->acked_pkts > event->marked_pkts ? event->acked_pkts - event->marked_pkts : 0;
	int initial = cc->ssthresh_q24 == q_pkts(Q_INFINITE_SSTHRESH_PKTS);
	struct q_ecn_mod_steps steps;
	q_u64 cwnd = cc->cwnd_q24;

	if (!q_newreno_may_grow(cc, event))
		return;
	if (!initial || params->initial_slow_start)
		unmarked = q_newreno_slow_start(cc, &cwnd, q_pkts(unmarked)) >> Q_CWND_SHIFT;
	steps = q_ecn_mod_steps(unmarked);
	for (q_u32 i = 0; i < steps.count; i++)
		cwnd += q_ecn_mod_delta(cwnd, steps.share_q8, params->c1_q16, params->alpha_q16);
	cc->cwnd_q24 = q_max(cc->cwnd_q24, q_newreno_clamp(params, cwnd));
}

static inline void q_ecn_mod_reduce(struct q_cc *cc, const struct q_cc_params *params, const struct q_cc_event *event)
{
	struct q_ecn_mod_steps steps = q_ecn_mod_steps(event->marked_pkts);
	q_u64 before = cc->cwnd_q24, cwnd = before;

	for (q_u32 i = 0; i < steps.count; i++)
		cwnd -= q_min(cwnd, q_ecn_mod_delta(cwnd, steps.share_q8, params->c2_q16, params->beta_q16));
	cwnd = q_min(before, q_max(cwnd, q_pkts(params->min_cwnd_pkts)));
	cc->cwnd_q24 = cwnd;
	cc->ssthresh_q24 = cwnd;
	/* If a reduction for a loss is undone later, the reduction for the marks must stay. */
	cc->undo_cwnd_q24 -= q_min(cc->undo_cwnd_q24, before - cwnd);
}

Q_CC_FN void q_ecn_mod_on_ack(struct q_cc *cc, const struct q_cc_params *params, const struct q_cc_event *event,
			      struct q_cc_action *action)
{
	q_action_clear(action);
	q_newreno_advance(cc, params, event);
	q_ecn_mod_grow(cc, params, event);
	if (event->marked_pkts)
		q_ecn_mod_reduce(cc, params, event);
	if (event->flags & Q_EV_LOSS)
		q_newreno_react(cc, params, event, Q_SIG_LOSS, action);
	if (event->marked_pkts)
		action->reacted |= Q_SIG_ECE;
}
