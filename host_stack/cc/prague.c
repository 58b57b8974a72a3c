/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/*
 * prague: a scalable sender for L4S (RFC 9331), by the rules of TCP Prague. It estimates the share of packets that were
 * marked (alpha), as dctcp does, and a mark takes alpha / 2 of the window. Differences from dctcp: the receiver counts
 * the marks (Accurate ECN, RFC 9768); each unmarked packet opens the window, also in ACKs that report marks; the first
 * mark halves; a loss halves also where a mark has reduced the window already.
 *
 * Independence of the round trip: a round trip below virtual_rtt_us counts as one of that length. So the estimate and
 * the reductions come once in that time, and a window grows by (rtt / virtual)^2 packets in a round trip. All flows
 * below it then gain rate alike.
 *
 * Our choices: without Accurate ECN the sender is that of RFC 3168; packets count, not bytes; the window in use is
 * rounded down to whole packets. No reduction but a timeout leaves fewer than 2 packets.
 */
#include "algorithms.h"
#include "newreno.h"
#include "share.h"

#define Q_PRAGUE_LEAST_PKTS 2U
#define Q_PRAGUE_MAX_ROUNDS 0xffffU
/* 2^32 / 1.618..., odd: its multiples spread evenly over 32 bits. */
#define Q_GOLDEN_RATIO 0x9e3779b1U

/* The round trip that counts, in microseconds; never less than the real one. */
static inline q_u32 q_prague_rtt_us(const struct q_cc *cc, const struct q_cc_params *params,
				    const struct q_cc_event *event)
{
	if (cc->cwnd_q24 < cc->ssthresh_q24 || cc->rounds < params->virtual_rtt_rounds)
		return event->srtt_us;
	return (q_u32)q_max(event->srtt_us, params->virtual_rtt_us);
}

static inline q_u32 q_prague_marked(const struct q_cc_event *event)
{
	return (q_u32)q_min(event->marked_pkts, event->delivered_pkts);
}

/* Before the first mark nothing is known of a router that marks, so the estimate stays at 1. */
static inline void q_prague_observe(struct q_cc *cc, const struct q_cc_params *params, const struct q_cc_event *event,
				    q_u32 rtt_us)
{
	if (event->marked_pkts)
		cc->flags |= Q_CC_WAS_MARKED;
	q_share_count(cc, event->delivered_pkts, q_prague_marked(event));
	if (!q_share_window_is_over(cc, event))
		return;
	if (rtt_us > event->srtt_us && (q_u32)event->now_us - cc->window_began_us < rtt_us)
		return;
	if (cc->flags & Q_CC_WAS_MARKED)
		q_share_estimate(cc, params->g_q16);
	if (cc->cwnd_q24 >= cc->ssthresh_q24 && cc->rounds < Q_PRAGUE_MAX_ROUNDS)
		cc->rounds++;
	q_share_open_window(cc, event);
	cc->window_began_us = (q_u32)event->now_us;
}

static inline void q_prague_react(struct q_cc *cc, const struct q_cc_params *params, const struct q_cc_event *event,
				  q_u32 rtt_us, struct q_cc_action *action)
{
	if ((cc->flags & Q_CC_LAST_WAS_MARK) && event->now_us < cc->ece_guard_until_us) {
		action->suppressed |= Q_SIG_ECE;
		return;
	}
	if (!q_newreno_cut(cc, params, event, Q_SIG_ECE, q_share_half(cc), action))
		return;
	cc->flags |= Q_CC_LAST_WAS_MARK;
	cc->ece_guard_until_us = rtt_us > event->srtt_us ? event->now_us + rtt_us : 0;
}

static inline void q_prague_react_loss(struct q_cc *cc, const struct q_cc_params *params,
				       const struct q_cc_event *event, struct q_cc_action *action)
{
	if (cc->flags & Q_CC_LAST_WAS_MARK)
		cc->flags &= ~Q_CC_IN_WINDOW;
	q_newreno_react(cc, params, event, Q_SIG_LOSS, action);
}

/*
 * step * ratio^2. At short round trips most steps are below one unit of the window, and rounded down the window would
 * stand still. So they are rounded up as often as their fraction says, by the place in the stream.
 */
static inline q_u64 q_prague_scaled(q_u64 step_q24, q_u64 ratio_q16, const struct q_cc_event *event)
{
	q_u64 exact_q48 = (step_q24 * ratio_q16 >> 8) * ratio_q16;

	return (exact_q48 + (event->snd_una * Q_GOLDEN_RATIO >> 8)) >> 24;
}

/* Slow start, then a packet per window of unmarked packets, less in short round trips. */
static inline void q_prague_grow(struct q_cc *cc, const struct q_cc_params *params, const struct q_cc_event *event,
				 q_u32 rtt_us)
{
	q_u64 unmarked = event->acked_pkts - q_min(event->acked_pkts, q_prague_marked(event));
	q_u64 cwnd = cc->cwnd_q24;
	q_u64 acked_q24, step;

	if (!q_newreno_may_grow(cc, event))
		return;
	acked_q24 = q_newreno_slow_start(cc, &cwnd, q_pkts((q_u32)q_min(unmarked, Q_MAX_ACKED_PKTS)));
	step = (acked_q24 << Q_CWND_SHIFT) / q_max(cwnd, Q_CWND_ONE);
	if (rtt_us > event->srtt_us) {
		q_u64 ratio_q16 = ((q_u64)event->srtt_us << 16) / rtt_us;

		step = q_prague_scaled(step, ratio_q16, event);
	}
	cc->cwnd_q24 = q_max(cc->cwnd_q24, q_newreno_clamp(params, cwnd + step));
}

static inline void q_prague_on_count(struct q_cc *cc, const struct q_cc_params *params, const struct q_cc_event *event,
				     struct q_cc_action *action)
{
	q_u32 rtt_us = q_prague_rtt_us(cc, params, event);

	q_action_clear(action);
	q_newreno_advance(cc, params, event);
	if (event->marked_pkts)
		q_prague_react(cc, params, event, rtt_us, action);
	if (event->flags & Q_EV_LOSS)
		q_prague_react_loss(cc, params, event, action);
	q_prague_observe(cc, params, event, rtt_us);
	q_prague_grow(cc, params, event, rtt_us);
}

Q_CC_FN void q_prague_on_ack(struct q_cc *cc, const struct q_cc_params *params, const struct q_cc_event *event,
			     struct q_cc_action *action)
{
	struct q_cc_params own = *params;

	if (!(event->flags & Q_EV_ACCECN)) {
		q_newreno_on_ack(cc, params, event, action);
		return;
	}
	own.integer_cut = 0;
	if (own.min_cwnd_pkts < Q_PRAGUE_LEAST_PKTS)
		own.min_cwnd_pkts = Q_PRAGUE_LEAST_PKTS;
	q_prague_on_count(cc, &own, event, action);
}
