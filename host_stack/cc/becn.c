/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/*
 * becn: the enhanced BECN of Akujobi et al. (Globecom 2002). ISQ(marked) halves the window, which then does not grow
 * for one RTT; ISQ(dropped) halves it and growth goes on. At most one reaction per window of data, losses included. The
 * receiver takes no part, and ECE is ignored.
 */
#include "algorithms.h"
#include "newreno.h"

Q_CC_FN void q_becn_on_ack(struct q_cc *cc, const struct q_cc_params *params, const struct q_cc_event *event,
			   struct q_cc_action *action)
{
	q_action_clear(action);
	q_newreno_advance(cc, params, event);
	if (event->isq_kind)
		q_newreno_react_isq(cc, params, event, action);
	if (event->flags & Q_EV_LOSS)
		q_newreno_react(cc, params, event, Q_SIG_LOSS, action);
	q_newreno_grow(cc, params, event);
}
