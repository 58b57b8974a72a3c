/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/*
 * ecn: the sender of RFC 3168 section 6.1.2. The window is halved at most once per window of data, for ECE or for a
 * loss; an ACK with ECE never opens it. ISQs are ignored.
 */
#include "algorithms.h"
#include "newreno.h"

Q_CC_FN void q_ecn_on_ack(struct q_cc *cc, const struct q_cc_params *params, const struct q_cc_event *event,
			  struct q_cc_action *action)
{
	q_newreno_on_ack(cc, params, event, action);
}
