/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/*
 * ecn-becn: the combination of Akujobi et al. Whichever of ISQ, ECE and loss comes first halves the window, once per
 * window of data. After ISQ(marked) the next segment carries CWR and the window waits one RTT before it grows.
 */
#include "algorithms.h"
#include "newreno.h"

Q_CC_FN void q_ecn_becn_on_ack(struct q_cc *cc, const struct q_cc_params *params, const struct q_cc_event *event,
			       struct q_cc_action *action)
{
	q_action_clear(action);
	q_newreno_advance(cc, params, event);
	/* The ISQ arrived before this ACK, so it counts first. */
	if (event->isq_kind)
		q_newreno_react_isq(cc, params, event, action);
	if (event->mark_level)
		q_newreno_react_ece(cc, params, event, action);
	if (event->flags & Q_EV_LOSS)
		q_newreno_react(cc, params, event, Q_SIG_LOSS, action);
	if (!event->mark_level || q_newreno_ece_opens(cc, params))
		q_newreno_grow(cc, params, event);
}
