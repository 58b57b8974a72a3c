/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/*
 * mecn: the source of Multilevel ECN (Durresi et al., section 2.3 and table 3). Incipient congestion takes beta1 of the
 * window, moderate congestion beta2, a loss beta3; without congestion it grows as NewReno's. With a receiver that knows
 * only RFC 3168 the marks come as ECE, and it is ecn.
 *
 * Our choices, where the paper is silent: there is one reaction per window of data, as in ECN, so a severer signal in
 * the same window has no effect. The severest signal of one ACK counts. An ACK that echoes a mark does not open the
 * window.
 */
#include "algorithms.h"
#include "newreno.h"

/* Percent to q16, rounded down, so that a cut of whole packets does not leave a packet too few. */
static inline q_u32 q_mecn_cut(q_u32 percent)
{
	return percent * Q_FRACTION_ONE / 100;
}

Q_CC_FN void q_mecn_on_ack(struct q_cc *cc, const struct q_cc_params *params, const struct q_cc_event *event,
			   struct q_cc_action *action)
{
	q_action_clear(action);
	q_newreno_advance(cc, params, event);
	if (event->flags & Q_EV_LOSS)
		q_newreno_cut(cc, params, event, Q_SIG_LOSS, q_mecn_cut(params->beta3_percent), action);
	if (event->mark_level == Q_MARK_MODERATE)
		q_newreno_react_echo(cc, params, event, Q_SIG_MODERATE, q_mecn_cut(params->beta2_percent), action);
	else if (event->mark_level == Q_MARK_INCIPIENT)
		q_newreno_react_echo(cc, params, event, Q_SIG_INCIPIENT, q_mecn_cut(params->beta1_percent), action);
	else if (event->mark_level == Q_MARK_ECE)
		q_newreno_react_ece(cc, params, event, action);
	if (!event->mark_level)
		q_newreno_grow(cc, params, event);
}
