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
#include "share.h"

#define Q_DCTCP_LEAST_PKTS 2U

/* The marked bytes of this ACK: all, unless the receiver has counted its packets. */
static inline q_u32 q_dctcp_marked_bytes(const struct q_cc_event *event)
{
	if (!(event->flags & Q_EV_ACCECN) || !event->delivered_pkts)
		return event->mark_level ? event->acked_bytes : 0;
	return (q_u32)((q_u64)event->acked_bytes * q_min(event->marked_pkts, event->delivered_pkts) /
		       event->delivered_pkts);
}

/* Count the bytes of this ACK (RFC 8257 section 3.3, steps 1 to 8). */
static inline void q_dctcp_observe(struct q_cc *cc, const struct q_cc_params *params, const struct q_cc_event *event)
{
	if (!event->acked_bytes)
		return;
	q_share_count(cc, event->acked_bytes, q_dctcp_marked_bytes(event));
	if (q_share_window_is_over(cc, event)) {
		q_share_estimate(cc, params->g_q16);
		q_share_open_window(cc, event);
	}
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
		q_newreno_react_echo(cc, &own, event, Q_SIG_ECE, q_share_half(cc), action);
	if (event->flags & Q_EV_LOSS)
		q_newreno_react(cc, &own, event, Q_SIG_LOSS, action);
	if (!event->mark_level)
		q_newreno_grow(cc, &own, event);
}
