/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/*
 * dctcp: the sender of RFC 8257. Once per window of data it estimates the share of bytes that were marked (alpha), and
 * at most once per window of data a mark takes alpha / 2 of the congestion window. It grows, and reacts to losses, as
 * NewReno does.
 *
 * Our choices, where the RFC is silent: the first ACK with ECE reduces the window at once, by the estimate of the
 * windows before, as Linux does; an ACK with ECE does not open the window. The RFC counts in bytes, so a reduced window
 * is never rounded. No reduction but a timeout leaves fewer than 2 packets, as in Linux.
 */
#include "algorithms.h"
#include "newreno.h"

#define Q_DCTCP_LEAST_PKTS 2U
#define Q_ALPHA_BITS 24

/* alpha = (1 - g) * alpha + g * share. */
static inline q_u32 q_dctcp_estimate(q_u32 alpha_q24, q_u32 g_q16, q_u32 marked_bytes, q_u32 acked_bytes)
{
	q_u64 share_q24 = ((q_u64)marked_bytes << Q_ALPHA_BITS) / acked_bytes;

	return (q_u32)((alpha_q24 * (q_u64)(Q_FRACTION_ONE - g_q16) + share_q24 * g_q16) >> Q_FRACTION_BITS);
}

/*
 * Count the bytes of this ACK (RFC 8257 section 3.3, steps 1 to 8). The first window ends with the first ACK. No window
 * has 4 GiB, since sequence numbers in flight are less than 2^31 apart.
 */
static inline void q_dctcp_observe(struct q_cc *cc, const struct q_cc_params *params, const struct q_cc_event *event)
{
	if (!event->acked_bytes)
		return;
	cc->seen.acked_bytes += event->acked_bytes;
	if (event->mark_level)
		cc->seen.marked_bytes += event->acked_bytes;
	if ((cc->flags & Q_CC_OBSERVES) && !q_seq_after(event->snd_una, cc->window_end))
		return;
	cc->alpha_q24 = q_dctcp_estimate(cc->alpha_q24, params->g_q16, cc->seen.marked_bytes, cc->seen.acked_bytes);
	cc->seen.acked_bytes = 0;
	cc->seen.marked_bytes = 0;
	cc->window_end = event->snd_nxt;
	cc->flags |= Q_CC_OBSERVES;
}

Q_CC_FN void q_dctcp_on_ack(struct q_cc *cc, const struct q_cc_params *params, const struct q_cc_event *event,
			    struct q_cc_action *action)
{
	struct q_cc_params own = *params;

	own.integer_cut = 0;
	if (own.min_cwnd_pkts < Q_DCTCP_LEAST_PKTS)
		own.min_cwnd_pkts = Q_DCTCP_LEAST_PKTS;
	q_action_clear(action);
	q_newreno_advance(cc, &own, event);
	q_dctcp_observe(cc, &own, event);
	if (event->mark_level)
		q_newreno_react_echo(cc, &own, event, Q_SIG_ECE, cc->alpha_q24 >> (Q_ALPHA_BITS - Q_FRACTION_BITS + 1),
				     action);
	if (event->flags & Q_EV_LOSS)
		q_newreno_react(cc, &own, event, Q_SIG_LOSS, action);
	if (!event->mark_level)
		q_newreno_grow(cc, &own, event);
}
