/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/*
 * The parts that all algorithms share: NewReno's growth (RFC 5681, RFC 6582), the reduction, the rule of one reaction
 * per window of data, and the hold after a reduction. The algorithms decide only which signals cause a reduction.
 *
 * An algorithm first calls q_newreno_advance(), then the functions q_newreno_react...() for the signals of the event,
 * then q_newreno_grow().
 */
#ifndef QUENCH_NEWRENO_H
#define QUENCH_NEWRENO_H

#include "q_cc.h"

/* As Linux's TCP_INFINITE_SSTHRESH: no threshold has been set. */
#define Q_INFINITE_SSTHRESH_PKTS 0x7fffffffU

/* More than TCP's window field, scaled, can hold; keeps the products below 2^64. */
#define Q_MAX_CWND_PKTS (1U << 30)

/* An ACK of more packets counts as one of so many; keeps the products below 2^64. */
#define Q_MAX_ACKED_PKTS 0xffffU

enum q_cc_flag {
	/* The window of data of the last reduction lasts: no packet sent after the reduction is acknowledged. */
	Q_CC_IN_WINDOW = 1 << 0,
	/* The window does not grow. */
	Q_CC_HOLD = 1 << 1,
	/* The last reduction was for an ISQ. */
	Q_CC_LAST_WAS_ISQ = 1 << 2,
	/* No progress since the last retransmission timeout. */
	Q_CC_RTO = 1 << 3,
	/* dctcp, prague: a window of observation has begun. */
	Q_CC_OBSERVES = 1 << 4,
	/* prague: there has been a mark. */
	Q_CC_WAS_MARKED = 1 << 5,
	/* prague: the last reduction was for a mark. */
	Q_CC_LAST_WAS_MARK = 1 << 6,
};

/* The flags that a reduction leaves as they are. */
#define Q_CC_LASTING (Q_CC_RTO | Q_CC_OBSERVES | Q_CC_WAS_MARKED)

static inline int q_seq_after(q_u32 a, q_u32 b)
{
	return (int)(b - a) < 0;
}

static inline q_u64 q_pkts(q_u32 pkts)
{
	return (q_u64)pkts << Q_CWND_SHIFT;
}

static inline q_u64 q_min(q_u64 a, q_u64 b)
{
	return a < b ? a : b;
}

static inline q_u64 q_max(q_u64 a, q_u64 b)
{
	return a > b ? a : b;
}

static inline q_u64 q_newreno_clamp(const struct q_cc_params *params, q_u64 cwnd_q24)
{
	return q_min(cwnd_q24, q_pkts(params->max_cwnd_pkts ? params->max_cwnd_pkts : Q_MAX_CWND_PKTS));
}

static inline void q_newreno_init(struct q_cc *cc, const struct q_cc_params *params, q_u32 cwnd_pkts)
{
	q_u32 initial = params->initial_cwnd_pkts ? params->initial_cwnd_pkts : cwnd_pkts;

	cc->cwnd_q24 = q_newreno_clamp(params, q_pkts(initial));
	cc->ssthresh_q24 = q_pkts(Q_INFINITE_SSTHRESH_PKTS);
	cc->undo_cwnd_q24 = 0;
	cc->hold_until_us = 0;
	cc->ece_guard_until_us = 0;
	cc->cut_seq = 0;
	cc->rto_seq = 0;
	cc->flags = 0;
	/* A first mark halves the window (RFC 8257 section 3.3). */
	cc->alpha_q24 = Q_CWND_ONE;
	cc->window_end = 0;
	cc->window_began_us = 0;
	cc->rounds = 0;
}

static inline void q_action_clear(struct q_cc_action *action)
{
	action->reacted = 0;
	action->suppressed = 0;
	action->queue_cwr = 0;
}

/*
 * End the window of data, the hold, and the state after a timeout, if this ACK ends them. Every ACK must be passed in,
 * because sequence numbers can be compared only while they are less than 2^31 apart.
 *
 * As in ns-2's ECN, a window of data ends when an ACK goes beyond the highest sequence number sent at the reduction,
 * that is when the first packet sent after the reduction is acknowledged.
 */
static inline void q_newreno_advance(struct q_cc *cc, const struct q_cc_params *params, const struct q_cc_event *event)
{
	int first_new_acked = !(cc->flags & Q_CC_IN_WINDOW) || q_seq_after(event->snd_una, cc->cut_seq);
	int old_window_acked = first_new_acked || event->snd_una == cc->cut_seq;

	if (cc->flags & Q_CC_HOLD) {
		int over = params->hold_rule == Q_HOLD_FIRST_NEW    ? first_new_acked
			   : params->hold_rule == Q_HOLD_OLD_WINDOW ? old_window_acked
								    : event->now_us >= cc->hold_until_us;

		if (over)
			cc->flags &= ~Q_CC_HOLD;
	}
	if (first_new_acked)
		cc->flags &= ~Q_CC_IN_WINDOW;
	if ((cc->flags & Q_CC_RTO) && q_seq_after(event->snd_una, cc->rto_seq))
		cc->flags &= ~Q_CC_RTO;
}

/* The window after a cut; cut_q16 is the share of the window that the cut takes away. */
static inline q_u64 q_newreno_kept(const struct q_cc_params *params, q_u64 cwnd_q24, q_u32 cut_q16)
{
	q_u64 kept = (cwnd_q24 >> 8) * (Q_FRACTION_ONE - cut_q16) >> 8;

	return params->integer_cut ? kept & ~(Q_CWND_ONE - 1) : kept;
}

/* Start a window of data, in which no other signal reduces the window. */
static inline void q_newreno_open_window(struct q_cc *cc, const struct q_cc_event *event)
{
	cc->cut_seq = event->snd_nxt;
	cc->ece_guard_until_us = event->now_us + event->srtt_us;
	cc->flags = (cc->flags & Q_CC_LASTING) | Q_CC_IN_WINDOW;
}

/* Cut for `signal`, unless there was a reduction in this window of data. Returns 1 if the window was cut. */
static inline int q_newreno_cut(struct q_cc *cc, const struct q_cc_params *params, const struct q_cc_event *event,
				q_u32 signal, q_u32 cut_q16, struct q_cc_action *action)
{
	q_u64 before = cc->cwnd_q24;
	q_u64 kept = q_newreno_kept(params, before, cut_q16);

	if (cc->flags & Q_CC_IN_WINDOW) {
		action->suppressed |= signal;
		return 0;
	}
	cc->ssthresh_q24 = q_max(kept, q_pkts(params->min_ssthresh_pkts));
	/* A floor must not turn a reduction into an increase. */
	cc->cwnd_q24 = q_min(before, q_max(kept, q_pkts(params->min_cwnd_pkts)));
	cc->undo_cwnd_q24 = signal == Q_SIG_LOSS ? before : 0;
	q_newreno_open_window(cc, event);
	action->reacted |= signal;
	return 1;
}

/* As q_newreno_cut(), by half. */
static inline int q_newreno_react(struct q_cc *cc, const struct q_cc_params *params, const struct q_cc_event *event,
				  q_u32 signal, struct q_cc_action *action)
{
	return q_newreno_cut(cc, params, event, signal, Q_FRACTION_ONE / 2, action);
}

/* The share of the window that an ISQ takes away. For a dropped packet it is half at every level, as for any loss. */
static inline q_u32 q_newreno_isq_cut(const struct q_cc_params *params, const struct q_cc_event *event)
{
	q_u32 span_q16 = params->isq_cut_max_q16 - params->isq_cut_min_q16;

	if (!params->isq_levels || event->isq_kind != Q_ISQ_MARKED)
		return Q_FRACTION_ONE / 2;
	return params->isq_cut_min_q16 + span_q16 * (event->isq_level & Q_ISQ_LEVEL_MAX) / Q_ISQ_LEVEL_MAX;
}

/* Reduce for an ISQ. Hold and CWR follow the parameters. */
static inline void q_newreno_react_isq(struct q_cc *cc, const struct q_cc_params *params,
				       const struct q_cc_event *event, struct q_cc_action *action)
{
	int marked = event->isq_kind == Q_ISQ_MARKED;

	if (!q_newreno_cut(cc, params, event, marked ? Q_SIG_ISQ_MARKED : Q_SIG_ISQ_DROPPED,
			   q_newreno_isq_cut(params, event), action))
		return;
	cc->flags |= Q_CC_LAST_WAS_ISQ;
	if (marked && params->hold_rule != Q_HOLD_NONE) {
		cc->flags |= Q_CC_HOLD;
		cc->hold_until_us = event->now_us + event->srtt_us;
	}
	action->queue_cwr = params->cwr_rule == Q_CWR_ISQ_ANY || (marked && params->cwr_rule == Q_CWR_ISQ_MARKED);
}

/* Cut for a mark that the receiver echoed, unless the guard (ece_guard_srtt) is in force. */
static inline void q_newreno_react_echo(struct q_cc *cc, const struct q_cc_params *params,
					const struct q_cc_event *event, q_u32 signal, q_u32 cut_q16,
					struct q_cc_action *action)
{
	if (params->ece_guard_srtt && event->now_us < cc->ece_guard_until_us) {
		action->suppressed |= signal;
		return;
	}
	if (q_newreno_cut(cc, params, event, signal, cut_q16, action))
		action->queue_cwr = 1;
}

/* Halve for ECE. */
static inline void q_newreno_react_ece(struct q_cc *cc, const struct q_cc_params *params,
				       const struct q_cc_event *event, struct q_cc_action *action)
{
	q_newreno_react_echo(cc, params, event, Q_SIG_ECE, Q_FRACTION_ONE / 2, action);
}

/* Does an ACK with ECE open the window now? */
static inline int q_newreno_ece_opens(const struct q_cc *cc, const struct q_cc_params *params)
{
	return params->ece_opens_after_isq && (cc->flags & Q_CC_LAST_WAS_ISQ);
}

static inline int q_newreno_may_grow(const struct q_cc *cc, const struct q_cc_event *event)
{
	return (event->flags & Q_EV_CWND_LIMITED) && !(event->flags & Q_EV_IN_RECOVERY) && !(cc->flags & Q_CC_HOLD);
}

/* Slow start up to the threshold (RFC 5681 section 3.1). Returns the part of acked_q24 that is left at the threshold.
 */
static inline q_u64 q_newreno_slow_start(const struct q_cc *cc, q_u64 *cwnd_q24, q_u64 acked_q24)
{
	q_u64 step = *cwnd_q24 < cc->ssthresh_q24 ? q_min(acked_q24, cc->ssthresh_q24 - *cwnd_q24) : 0;

	*cwnd_q24 += step;
	return acked_q24 - step;
}

/* Slow start, then congestion avoidance: one packet per window (RFC 5681 section 3.1). */
static inline void q_newreno_grow(struct q_cc *cc, const struct q_cc_params *params, const struct q_cc_event *event)
{
	q_u64 cwnd = cc->cwnd_q24;
	q_u64 acked_q24;

	if (!q_newreno_may_grow(cc, event))
		return;
	acked_q24 = q_newreno_slow_start(cc, &cwnd, q_pkts((q_u32)q_min(event->acked_pkts, Q_MAX_ACKED_PKTS)));
	if (acked_q24)
		cwnd += (acked_q24 << Q_CWND_SHIFT) / q_max(cwnd, Q_CWND_ONE);
	/* A lowered max_cwnd_pkts stops the growth of a connection, and does not reduce its window. */
	cc->cwnd_q24 = q_max(cc->cwnd_q24, q_newreno_clamp(params, cwnd));
}

/* An ACK as RFC 3168 section 6.1.2 has it: the window is halved at most once per window of data, for ECE or for a loss.
 */
static inline void q_newreno_on_ack(struct q_cc *cc, const struct q_cc_params *params, const struct q_cc_event *event,
				    struct q_cc_action *action)
{
	q_action_clear(action);
	q_newreno_advance(cc, params, event);
	if (event->mark_level)
		q_newreno_react_ece(cc, params, event, action);
	if (event->flags & Q_EV_LOSS)
		q_newreno_react(cc, params, event, Q_SIG_LOSS, action);
	if (!event->mark_level)
		q_newreno_grow(cc, params, event);
}

static inline void q_newreno_on_rto(struct q_cc *cc, const struct q_cc_params *params, const struct q_cc_event *event,
				    struct q_cc_action *action)
{
	int repeated;

	q_action_clear(action);
	q_newreno_advance(cc, params, event);
	/* RFC 5681 section 3.1: a second timeout of the same packet does not change the threshold. */
	repeated = cc->flags & Q_CC_RTO;
	if (!repeated) {
		cc->undo_cwnd_q24 = cc->cwnd_q24;
		/* prague: a cut for a mark may be small, and stands for no cut for a loss. */
		if (!(cc->flags & Q_CC_IN_WINDOW) || (cc->flags & Q_CC_LAST_WAS_MARK))
			cc->ssthresh_q24 = q_max(q_newreno_kept(params, cc->cwnd_q24, Q_FRACTION_ONE / 2),
						 q_pkts(params->min_ssthresh_pkts));
	}
	cc->cwnd_q24 = Q_CWND_ONE;
	q_newreno_open_window(cc, event);
	cc->flags |= Q_CC_RTO;
	cc->rto_seq = event->snd_una;
	action->reacted = Q_SIG_RTO;
}

static inline int q_newreno_undo(struct q_cc *cc)
{
	int undone = cc->undo_cwnd_q24 > cc->cwnd_q24;

	if (undone)
		cc->cwnd_q24 = cc->undo_cwnd_q24;
	cc->undo_cwnd_q24 = 0;
	return undone;
}

static inline void q_newreno_on_idle(struct q_cc *cc, q_u32 idle_rtos, q_u32 restart_pkts)
{
	q_u64 restart = q_min(cc->cwnd_q24, q_pkts(restart_pkts));

	cc->cwnd_q24 = q_max(cc->cwnd_q24 >> (idle_rtos < 63 ? idle_rtos : 63), restart);
}

#endif /* QUENCH_NEWRENO_H */
